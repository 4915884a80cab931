declare module "virtual:theme.css";
declare module "virtual:components.css";

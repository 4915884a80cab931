import { definer, tcp, udp } from "./definition.js";

const office = definer("Office");
const project = definer("ProjectManagement");
const messaging = definer("Messaging");
const conferencing = definer("Conferencing");
const telephony = definer("Telephony");
const email = definer("Email");
const publishing = definer("Publishing");

/** Productivity, communication and publishing. */
export const WORK = [
  office("ONLYOFFICE Docs", "Edits office documents together in the browser.", tcp(80, 443)),
  office("Collabora Online", "Edits LibreOffice documents in the browser.", tcp(9980)),
  office("Paperless-ngx", "Archives scanned documents and makes them searchable.", tcp(8000)),
  office("Odoo", "Covers sales, stock, accounting and more for a company.", tcp(8069, 8072)),
  office("Microsoft SharePoint", "Shares documents and pages in a company.", tcp(80, 443)),

  project("Jira", "Tracks issues and plans the work of teams.", tcp(8080)),
  project("Redmine", "Tracks the issues, time and documents of projects.", tcp(3000)),
  project("OpenProject", "Plans projects with schedules and boards.", tcp(80, 443)),
  project("Vikunja", "Organizes tasks in lists and boards.", tcp(3456)),

  messaging("Mattermost", "Lets teams chat in channels on their own server.", tcp(8065)),
  messaging("Rocket.Chat", "Lets teams and customers chat on one platform.", tcp(3000)),
  messaging("Synapse", "Serves Matrix rooms and federates with other servers.", tcp(8008, 8448)),
  messaging("Zulip", "Sorts team chat into topics.", tcp(80, 443)),
  messaging("ejabberd", "Delivers XMPP messages for many users.", tcp(5222, 5269, 5280)),
  messaging("ntfy", "Pushes notifications that scripts publish by topic.", tcp(80)),

  conferencing("Jitsi Meet", "Holds video conferences in the browser.", tcp(80, 443), udp(10000)),
  conferencing("BigBlueButton", "Holds online lessons with video and a whiteboard.", tcp(80, 443)),
  conferencing("coturn", "Relays calls through firewalls with STUN and TURN.", tcp(3478, 5349), udp(3478, 5349)),
  conferencing("Mumble", "Carries voice chat with low delay.", tcp(64738), udp(64738)),
  conferencing("TeamSpeak", "Carries voice chat in channels.", tcp(10011, 30033), udp(9987)),

  telephony("Asterisk", "Switches calls as a programmable telephone system.", tcp(5038, 5060, 8088), udp(4569, 5060)),
  telephony("FreePBX", "Sets up an Asterisk telephone system in the browser.", tcp(80, 443), udp(5060, 5160)),
  telephony("FreeSWITCH", "Switches voice and video calls.", tcp(5060, 5080, 8021), udp(5060, 5080)),
  telephony("3CX", "Serves as the telephone system of a company.", tcp(5001, 5060, 5090), udp(5060, 5090)),
  telephony("SIP Phone", "Makes calls over the network.", tcp(5060), udp(5060)),

  email("Postfix", "Receives and delivers mail.", tcp(25, 465, 587)),
  email("Dovecot", "Gives clients access to their mailboxes.", tcp(110, 143, 993, 995)),
  email("Microsoft Exchange Server", "Handles the mail and calendars of a company.", tcp(25, 80, 443, 587)),
  email("mailcow", "Bundles a complete mail server in containers.", tcp(25, 80, 110, 143, 443, 465, 587, 993, 995)),
  email("Roundcube", "Reads and writes mail in the browser.", tcp(80, 443)),

  publishing("WordPress", "Publishes web sites and blogs.", tcp(80, 443)),
  publishing("Drupal", "Publishes web sites with structured content.", tcp(80, 443)),
  publishing("MediaWiki", "Publishes wikis that many people write.", tcp(80, 443)),
  publishing("BookStack", "Arranges documentation as books and chapters.", tcp(80, 443)),
  publishing("Confluence", "Collects the knowledge of a company in pages.", tcp(8090, 8091)),
  publishing("Apache HTTP Server", "Serves web sites with modules for many purposes.", tcp(80, 443)),
  publishing("Internet Information Services", "Serves web sites on Windows.", tcp(80, 443)),
  publishing("Apache Tomcat", "Runs web applications written in Java.", tcp(8080)),
];

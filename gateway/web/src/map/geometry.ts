export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `x` and `y` are its upper left corner. */
export interface Rect extends Point {
  readonly width: number;
  readonly height: number;
}

// What browsers have and TypeScript 4.8 does not know, for Scripts/types.

interface Event {
  /** Of the events of parley.js: what they tell. */
  readonly detail?: any;
}

interface Array<T> {
  findLast(predicate: (value: T, index: number) => unknown): T | undefined;
  with(index: number, value: T): T[];
}

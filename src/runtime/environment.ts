/** Environment variables by name; `undefined` for one that is not set. */
/** Environment variables by name; `undefined` for one that is not set. */
export type Environment = Readonly<Record<string, string | undefined>>

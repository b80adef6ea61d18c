import type { DatabaseSync, StatementResultingChanges, StatementSync } from 'node:sqlite'

/** Statements as templates, whose values are bound as parameters and never become a part of the SQL text. */
export interface Sql {
  /** Changes rows, and returns how many. */
  readonly run: Statement<StatementResultingChanges>
  /** The first row. */
  readonly get: Statement<Row | undefined>
  readonly all: Statement<Row[]>
}

type Row = Readonly<Record<string, Value>>

type Value = null | number | bigint | string | Uint8Array

type Statement<T> = (parts: TemplateStringsArray, ...values: readonly Value[]) => T

/** Templates for one database, each prepared once; `onChange` is told of every one that may change rows. Node's own tag store does the same, but only from Node 24.9 on. */
export function createSql(database: DatabaseSync, onChange: () => void): Sql {
  const prepared = new Map<TemplateStringsArray, StatementSync>()
  const prepare = (parts: TemplateStringsArray) => {
    const statement = prepared.get(parts) ?? database.prepare(parts.join('?'))
    prepared.set(parts, statement)
    return statement
  }
  // The types of `node:sqlite` do not say what a row is.
  return {
    run: (parts, ...values) => {
      onChange()
      return prepare(parts).run(...values)
    },
    get: (parts, ...values) => prepare(parts).get(...values) as Row | undefined,
    all: (parts, ...values) => prepare(parts).all(...values) as Row[],
  }
}

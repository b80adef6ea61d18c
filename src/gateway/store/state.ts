import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from './database.ts'
import { createIdentifiers, type IdKind } from './identifiers.ts'

/** The state of the platform, with its clock and its source of identifiers. */
export interface State extends Database {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly newId: (kind: IdKind) => string
  readonly organizationId: string
  /** The key that signs the cursors of lists, so that only the platform's own are accepted. */
  readonly cursorKey: string
}

interface StateSettings {
  /** The database; if absent, the state is in memory and ends with the process. */
  readonly file?: string
  readonly now: () => number
}

/** Opens a state; a new one holds an organization and its Default Workspace. */
export function openState({ file, now }: StateSettings): State {
  const database = openDatabase(file)
  const newId = createIdentifiers(now)
  const { sql } = database
  return database.transact(() => {
    const organizationId = ensureSetting(database, 'organization', () => newId('organization'))
    const cursorKey = ensureSetting(database, 'cursor-key', () => randomBytes(32).toString('hex'))
    if (!sql.get`SELECT 1 FROM workspaces WHERE is_default = 1`)
      sql.run`INSERT INTO workspaces (id, name, is_default, created_at) VALUES (${newId('workspace')}, 'Default', 1, ${now()})`
    return { ...database, now, newId, organizationId, cursorKey }
  })
}

/** A setting of the organization; `undefined` where it is not set. */
export function findSetting({ sql }: Database, name: string): string | undefined {
  const row = sql.get`SELECT value FROM settings WHERE name = ${name}`
  return row && String(row.value)
}

/** Sets a setting, or removes it with `undefined`. */
export function writeSetting({ sql }: Database, name: string, value: string | undefined): void {
  if (value === undefined) sql.run`DELETE FROM settings WHERE name = ${name}`
  else sql.run`INSERT INTO settings VALUES (${name}, ${value}) ON CONFLICT DO UPDATE SET value = excluded.value`
}

function ensureSetting(database: Database, name: string, create: () => string): string {
  const found = findSetting(database, name)
  if (found !== undefined) return found
  const created = create()
  writeSetting(database, name, created)
  return created
}

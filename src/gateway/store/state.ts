import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from './database.ts'
import { createIdentifiers, type IdKind } from './identifiers.ts'

/** What the platform knows and where it gets time and names from. */
export interface State extends Database {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly newId: (kind: IdKind) => string
  readonly organizationId: string
  /** Signs the cursors of lists, so that only ours are taken. */
  readonly cursorKey: string
}

export interface StateSettings {
  /** Absent, everything is kept in memory and gone with the process. */
  readonly file?: string
  readonly now: () => number
}

/** Opens what is there; in a new one stand an organization and its Default Workspace. */
export function openState({ file, now }: StateSettings): State {
  const database = openDatabase(file)
  const newId = createIdentifiers(now)
  const { sql } = database
  return database.transact(() => {
    const organizationId = keepSetting(database, 'organization', () => newId('organization'))
    const cursorKey = keepSetting(database, 'cursor-key', () => randomBytes(32).toString('hex'))
    if (!sql.get`SELECT 1 FROM workspaces WHERE is_default = 1`)
      sql.run`INSERT INTO workspaces (id, name, is_default, created_at) VALUES (${newId('workspace')}, 'Default', 1, ${now()})`
    return { ...database, now, newId, organizationId, cursorKey }
  })
}

/** A setting of the organization, or `undefined`. */
export function findSetting({ sql }: Database, name: string): string | undefined {
  const row = sql.get`SELECT value FROM settings WHERE name = ${name}`
  return row && String(row.value)
}

/** Sets or, with `undefined`, removes a setting. */
export function writeSetting({ sql }: Database, name: string, value: string | undefined): void {
  if (value === undefined) sql.run`DELETE FROM settings WHERE name = ${name}`
  else sql.run`INSERT INTO settings VALUES (${name}, ${value}) ON CONFLICT DO UPDATE SET value = excluded.value`
}

function keepSetting(database: Database, name: string, create: () => string): string {
  const kept = findSetting(database, name)
  if (kept !== undefined) return kept
  const created = create()
  writeSetting(database, name, created)
  return created
}

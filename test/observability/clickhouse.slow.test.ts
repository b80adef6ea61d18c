import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CallOutcome } from '../../src/outcomes/call-outcome.ts'
import { toLogEvents } from '../../src/outcomes/destinations/system-log-destination.ts'
import { outcomeFields } from '../../src/outcomes/outcome-fields.ts'
import { findFreePort, startGatewayProcess } from '../gateways/gateway-process.ts'
import { cachedOutcome } from '../setup/cached-outcome.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { observability } from './shipped-files.ts'

const time = Date.UTC(2026, 2, 2, 9, 0)
const cached: CallOutcome = { ...cachedOutcome, time, helper: 'oidc-token', source: 'oidc-entra' }
const kept = { ...cached, time: time + 60_000, origin: 'kept' } as const
const minted = { ...cached, time: time + 120_000, origin: 'mint', mintMs: 900 } as const
const { origin: _, ...uncached } = cached
const late = { ...uncached, time: time + 180_000, outcome: 'late', status: 7, late: 'network', mintMs: 57_000 } as const

test('the queries for ClickHouse say what is wrong on a fleet, from the lines that helpers give to the log', async () => {
  const query = await startClickHouse()
  const [table = '', ...queries] = await readStatements()
  const days = { 'pc-1': [cached, cached, minted], 'pc-2': [kept, late] }
  const rows = Object.entries(days).flatMap(([machine, outcomes]) =>
    toLogEvents({ outcomes, lost: machine === 'pc-2' ? 3 : 0, resource: {} }, time).map(({ text }) =>
      JSON.stringify({ machine, ...JSON.parse(text) }),
    ),
  )
  await query(table)
  await query(`INSERT INTO gatepass_events FORMAT JSONEachRow ${rows.join('\n')}`)
  const answers: string[] = []
  for (const statement of queries) answers.push(await query(statement))
  expect(answers).toEqual([
    '2026-03-02 09:00:00\t5\t1\t3\n',
    'late\toidc-entra\toidc-token\t1\t1\t2026-03-02 09:03:00\n',
    'pc-2\toidc-token\tlate\t2026-03-02 09:03:00\n',
    'oidc-entra\t2\t28950\t54195\n',
    'network\toidc-entra\t1\t1\n',
    '2026-03-02 09:00:00\toidc-entra\t1\t1\n',
    '1.2.3\t2\n',
  ])
})

test('the table of ClickHouse has a column for each member of an event', async () => {
  const [table = ''] = await readStatements()
  const columns = [...table.matchAll(/(\w+) (?:String|UInt\d+)/g)].map(([, name = '']) => name)
  expect(columns.sort()).toEqual(['machine', ...Object.keys(outcomeFields), 'cached', 'lost'].sort())
})

async function readStatements(): Promise<string[]> {
  const text = await readFile(join(observability, 'logs', 'clickhouse.sql'), 'utf8')
  const statements = text.replaceAll(/^--.*$/gm, '').split(';')
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

/** Debian's ClickHouse, in UTC. @returns what runs a statement. */
async function startClickHouse() {
  const directory = await temporaryDirectory()
  const port = await findFreePort()
  await Promise.all(['data', 'tmp'].map((name) => mkdir(join(directory, name))))
  await writeFile(
    join(directory, 'config.xml'),
    `<yandex><logger><level>error</level><console>1</console></logger><timezone>UTC</timezone>
<http_port>${port}</http_port><listen_host>127.0.0.1</listen_host><path>${directory}/data/</path><tmp_path>${directory}/tmp/</tmp_path>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>5368709</mark_cache_size></yandex>`,
  )
  await writeFile(
    join(directory, 'users.xml'),
    `<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>`,
  )
  const { url, close } = await startGatewayProcess({
    command: '/usr/sbin/clickhouse-server',
    argv: [`--config-file=${join(directory, 'config.xml')}`],
    port,
    readErrors: async () => 'see: clickhouse-server --config-file',
  })
  onTestFinished(close)
  return async (statement: string): Promise<string> => {
    const response = await fetch(url, { method: 'POST', body: statement })
    const text = await response.text()
    if (!response.ok) throw new Error(`${text}: ${statement}`)
    return text
  }
}

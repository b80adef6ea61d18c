import { describe, expect, test } from 'vitest'
import { findKnownClient, knownClients } from '../../src/vendor/known-clients.ts'
import { validateVendorSetting } from '../../src/vendor/validate-setting.ts'
import { product } from '../architecture/source-files.ts'
import { runHere } from '../cli/run-here.ts'

describe.each(knownClients)('$name', ({ setting, releases, installed, sources }) => {
  test('its names are valid in a vendor file', () => {
    expect(validateVendorSetting(setting)).toEqual({ setting })
  })

  test('each name, and the numbering of its releases, has one source', () => {
    const named = sources.flatMap(({ names }) => names)
    expect(named.toSorted()).toEqual([...Object.keys(setting), 'releases', ...Object.keys(installed)].toSorted())
  })

  test('each source is an address with the day on which it was read', () => {
    const odd = sources.filter(({ url, read }) => !URL.canParse(url) || !/^20\d\d-\d\d-\d\d$/.test(read))
    expect(odd).toEqual([])
  })

  test('the example of its release numbers is valid', () => {
    const example = /such as (\S+)$/.exec(releases.expected)?.[1] ?? ''
    expect(releases.pattern.exec(example)?.[0]).toBe(example)
  })

  test('no other source file has a path, key or domain of it', () => {
    const own = [setting.macosPayloadType, setting.windowsPolicyKey, setting.linuxManagedFile, setting.keyPrefix]
    const found = product.filter(
      ({ path, text }) =>
        !path.endsWith('known-clients.ts') && own.some((word) => word !== undefined && text.includes(word)),
    )
    expect(found.map(({ path }) => path)).toEqual([])
  })
})

test.each([
  ['Claude-Desktop', 'Claude Desktop'],
  ['claude desktop', 'Claude Desktop'],
  ['Claude', undefined],
])('a client is found by its whole name or title in any case: %s', (text, title) => {
  expect(findKnownClient(text)?.title).toBe(title)
})

test('init --client writes the names of that client, and a flag replaces one', async () => {
  const { setting } = knownClients[0]!
  const { status, stdout, stderr } = await runHere([
    'vendor',
    'init',
    '--client',
    'claude-desktop',
    '--publisher',
    'Acme IT',
  ])
  expect({ status, stderr, setting: JSON.parse(stdout) }).toEqual({
    status: 0,
    stderr: '',
    setting: { ...setting, publisher: 'Acme IT' },
  })
})

test('init --client with a flag that is wrong writes nothing', async () => {
  const { status, stdout } = await runHere(['vendor', 'init', '--client', 'claude-desktop', '--key-prefix', 'k'])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
})

test('init --client names the clients that are known when it is asked for another', async () => {
  expect(await runHere(['vendor', 'init', '--client', 'claude'])).toEqual({
    status: 2,
    stdout: '',
    stderr: [
      'gatepass: "claude" is not a known client; there is claude-desktop',
      'gatepass: hint: pass one of these, or each name by its own flag; see: gatepass vendor init --help',
      '',
    ].join('\n'),
  })
})

test('list prints every name of a client, and where it was read', async () => {
  const { status, stdout, stderr } = await runHere(['vendor', 'list'])
  const [client] = knownClients
  const rows = Object.entries(client!.setting).map(([name, value]) => `  ${name.padEnd(20)}  ${value}`)
  const sources = client!.sources.flatMap(({ url, read, names }) => [
    `  ${url}`,
    `    read on ${read}: ${names.join(', ')}`,
  ])
  expect({ status, stderr, lines: stdout.split('\n') }).toEqual({
    status: 0,
    stderr: '',
    lines: [
      ...['claude-desktop: Claude Desktop', '', ...rows, ''],
      ...['  Its releases have three numbers with dots between, such as 1.13576.0.', '', 'Sources', '', ...sources, ''],
    ],
  })
})

test('list --json prints every name with its source', async () => {
  const { stdout, ...rest } = await runHere(['vendor', 'list', '--json'])
  expect({ ...rest, clients: JSON.parse(stdout).clients }).toEqual({
    status: 0,
    stderr: '',
    clients: knownClients.map(({ name, title, setting, releases, sources }) => ({
      name,
      title,
      names: setting,
      releases: releases.expected,
      sources,
    })),
  })
})

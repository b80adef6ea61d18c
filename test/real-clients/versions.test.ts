import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realClients } from '../../pkg-scripts/clients/real-clients.ts'
import { root } from '../../pkg-scripts/tree.ts'
import pinned from './package.json' with { type: 'json' }

const pinnedVersions: Readonly<Record<string, string>> = pinned.dependencies

test('the page about clients names the version of each client that the tests run', () => {
  const page = readFileSync(join(root, 'docs', 'clients.md'), 'utf8')
  const told = [...page.matchAll(/^\| ([\w ]+) \| (\d+\.\d+\.\d+) \|/gm)].map(([, name, version]) => [name, version])
  const pinned = Object.values(realClients).flatMap((client) =>
    'package' in client ? [[client.title, pinnedVersions[client.package]]] : [],
  )
  const versions = Object.fromEntries(told)
  expect(pinned.filter(([title = '', version]) => versions[title] !== version)).toEqual([])
})

test('each version is exact', () => {
  const loose = Object.entries(pinnedVersions).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
  expect(loose).toEqual([])
})

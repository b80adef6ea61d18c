import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderConfigurationDocs } from '../../pkg-scripts/docs/configuration-page.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { listFields } from '../../src/config/render/list-fields.ts'
import { toNamesInForce } from '../setup/names.ts'

test('docs/configuration.md is up to date; if not, run `node pkg-scripts/docs/write-configuration-docs.ts`', () => {
  const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
  expect(toNamesInForce(page)).toBe(renderConfigurationDocs())
})

test('fields can be listed for a kind and a client release', () => {
  const paths = listFields({ kind: 'helper-script', clientVersion: '1.2581.0' }).map(({ path }) => path)
  expect(paths.filter((path) => path.startsWith('inference.credential.'))).toEqual([
    'inference.credential.command',
    'inference.credential.ttlSec',
    'inference.credential.awsEnv',
    'inference.credential.awsEnv.profile',
    'inference.credential.awsEnv.awsDir',
  ])
})

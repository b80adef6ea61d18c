import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { examineProof } from '../../../src/verify/aws/parse-proof.ts'
import { urlChecks } from '../../../src/verify/aws/url-proof.ts'
import { noon, trust } from './outcome.ts'

const page = readFileSync(join(root, 'docs', 'gateways', 'aws.md'), 'utf8')
const rows = [...page.matchAll(/^\| `(?<name>[a-z ]+)` \| (?<form>both|URL|Vault) \|/gm)].map(({ groups }) => groups!)
const namesOf = (form: string) => rows.filter((row) => row.form === form || row.form === 'both').map(({ name }) => name)

test('the page lists every check of both forms, and no other', () => {
  const sorted = (names: readonly (string | undefined)[]) => names.toSorted()
  expect(sorted(namesOf('URL'))).toEqual(sorted(urlChecks.map(({ name }) => name)))
  const checks = examineProof('eyJpYW1f', { trust, now: noon, clockSkewSec: 30 })
  expect(sorted(namesOf('Vault'))).toEqual(sorted(checks.map(({ name }) => name)))
})

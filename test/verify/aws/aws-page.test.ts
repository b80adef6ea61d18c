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

test.each([
  ['URL', urlChecks],
  ['Vault', examineProof('eyJpYW1f', { trust, now: noon, clockSkewSec: 30 })],
])('the page lists every check of the form %s, and no other', (form, checks) => {
  expect(namesOf(form).toSorted()).toEqual(checks.map(({ name }) => name).toSorted())
})

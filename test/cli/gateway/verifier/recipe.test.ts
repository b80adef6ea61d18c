import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recipes } from '../../../../src/cli/gateway/verifier/add-verifier.ts'
import { fails } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { issuer, policyFile } from '../../../verify/policy/policy-text.ts'
import { writeTemporary } from '../../run-gatepass.ts'
import { runHere } from '../../run-here.ts'

const writePolicy = (headers: Readonly<Record<string, string>>) =>
  writeTemporary(
    'policy.json',
    JSON.stringify(policyFile({ rules: [{ name: 'people', issuer, claims: { groups: ['llm-*'] }, headers }] })),
  )
const recipe = (gateway: string, policy: string, ...argv: string[]) =>
  runHere(['gateway', 'verifier', 'recipe', gateway, '--policy', policy, ...argv])

describe('gatepass gateway verifier recipe', () => {
  test.each(Object.keys(recipes))('prints and writes the same files for %s, with every header', async (gateway) => {
    const policy = await writePolicy({ 'x-user': '{sub}', 'x-groups': '{groups}' })
    const into = join(await temporaryDirectory(), 'a new directory', 'below it')
    const { stdout, ...printed } = await recipe(gateway, policy)
    const written = await recipe(gateway, policy, '--into', into)
    const paths = [...stdout.matchAll(/^==> (.*) <==$/gm)].map(([, path = '']) => path)
    const files = await Promise.all(
      paths.map(async (path) => `==> ${path} <==\n${await readFile(join(into, path), 'utf8')}`),
    )
    const entries = await readdir(into, { recursive: true, withFileTypes: true })
    expect({
      printed,
      written,
      text: files.join('\n'),
      count: entries.filter((entry) => entry.isFile()).length,
      headers: ['x-user', 'x-groups'].filter((name) => stdout.toLowerCase().includes(name)),
    }).toEqual({
      printed: { status: 0, stderr: '' },
      written: { status: 0, stdout: '', stderr: '' },
      text: stdout,
      count: paths.length,
      headers: ['x-user', 'x-groups'],
    })
  })

  test.each(Object.keys(recipes))('holds the digest that the check of the policy prints: %s', async (gateway) => {
    const policy = await writePolicy({ 'x-user': '{sub}', 'x-groups': '{groups}' })
    const checked = JSON.parse((await runHere(['gateway', 'policy', 'check', policy, '--json'])).stdout)
    const { stdout } = await recipe(gateway, policy)
    const digests = stdout.match(/(?<![0-9a-f])[0-9a-f]{12}(?![0-9a-f])/g)
    expect([...new Set(digests)]).toEqual([checked.recipeDigest])
  })

  test('overwrites no file', async () => {
    const policy = await writePolicy({ 'x-user': '{sub}' })
    const into = await temporaryDirectory()
    await recipe('nginx', policy, '--into', into)
    const [first = ''] = (await recipe('nginx', policy)).stdout.match(/(?<=^==> ).*(?= <==$)/gm) ?? []
    await writeFile(join(into, first), 'adapted')
    expect(await recipe('nginx', policy, '--into', into)).toEqual(
      fails('gatepass', 5, `${join(into, first)} cannot be written (EEXIST)`, 'name an empty directory with --into'),
    )
    expect(await readFile(join(into, first), 'utf8')).toBe('adapted')
  })

  test('names the place that cannot be written', async () => {
    const place = await writeTemporary('a file', '')
    const outcome = await recipe('haproxy', await writePolicy({ 'x-user': '{sub}' }), '--into', place)
    const stderr = outcome.stderr
      .replace(`${place}/`, 'PLACE/')
      .replace(/PLACE\/\S+ cannot be written \((ENOTDIR|EEXIST)\)/, 'PLACE/FILE cannot be written')
    expect({ ...outcome, stderr }).toEqual(
      fails('gatepass', 5, 'PLACE/FILE cannot be written', 'name an empty directory with --into'),
    )
  })

  test.each<[what: string, write: () => Promise<string>, stderr: (policy: string) => string]>([
    [
      'that cannot be used',
      () => writeTemporary('policy.json', '{"rules": 7}'),
      (policy) =>
        `gatepass: the policy ${policy} cannot be used: rules: expected a list, found a whole number\ngatepass: hint: see everything that is wrong: gatepass gateway policy check --here '${policy}'\n`,
    ],
    [
      'whose rules set no header in common',
      () => writePolicy({}),
      (policy) =>
        `gatepass: no header of the policy ${policy} is set by each of its rules\ngatepass: hint: give every rule the same header that names its caller, such as "headers": {"x-user": "{sub}"}\n`,
    ],
  ])('makes no recipe of a policy %s', async (_, write, stderr) => {
    const into = join(await temporaryDirectory(), 'new')
    await mkdir(into)
    const policy = await write()
    const outcome = await recipe('nginx', policy, '--into', into)
    expect({ outcome, files: await readdir(into) }).toEqual({
      outcome: { status: 3, stdout: '', stderr: stderr(policy) },
      files: [],
    })
  })

  test('refuses an unknown gateway', async () => {
    const choices = Object.keys(recipes).join(', ')
    expect(await recipe('ngin', await writePolicy({ 'x-user': '{sub}' }))).toEqual(
      fails(
        'gatepass',
        2,
        `command-argument value 'ngin' is invalid for argument 'gateway'. Allowed choices are ${choices}.`,
        'see: gatepass gateway verifier recipe --help',
      ),
    )
  })
})

import { writeFileSync } from 'node:fs'
import { chmod, mkdir, rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { type PolicyEvent, type PolicyState, startFollowingPolicy } from '../../../src/verify/policy/policy-follower.ts'
import { makeForeign } from '../../setup/foreign-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { issuer, policyFile } from './policy-text.ts'

/** Returns a policy with one rule of this name. */
function textOf(name: string): string {
  return JSON.stringify(policyFile({ rules: [{ name, issuer, everyone: true }] }))
}

async function follow(path: string) {
  const told: PolicyEvent[] = []
  let time = 0
  const options = { now: () => ++time, observe: (event: PolicyEvent) => void told.push(event) }
  vi.useFakeTimers({ toFake: ['setInterval'] }) // so that no regular look comes before one of the test
  onTestFinished(() => void vi.useRealTimers())
  const follower = await startFollowingPolicy(path, options)
  onTestFinished(() => follower.close())
  /** Returns the policy in force after the file was read, the lines that were reported meanwhile, and the problem. */
  const look = async () => {
    told.length = 0
    await follower.look()
    return {
      rule: follower.policy().rules[0]?.name,
      told: told.map(({ kind }) => kind),
      problem: codesOf(follower.state()),
    }
  }
  return { follower, look, told }
}

function codesOf({ problem }: PolicyState): string[] | undefined {
  return problem?.findings.map(({ code }) => code)
}

async function createFile(): Promise<string> {
  const path = join(await temporaryDirectory(), 'policy.json')
  await writeFile(path, textOf('first'))
  return path
}

describe('a policy follows its file', () => {
  test('that is written in place, and reports it once', async () => {
    const path = await createFile()
    const { follower, look, told } = await follow(path)
    const atStart = told.map(({ kind }) => kind)
    const before = follower.policy()
    const unchanged = { ...(await look()), isSame: follower.policy() === before }
    await writeFile(path, textOf('other'))
    expect({ atStart, unchanged, written: await look(), later: await look() }).toEqual({
      atStart: ['loaded'],
      unchanged: { rule: 'first', told: [], problem: undefined, isSame: true },
      written: { rule: 'other', told: ['replaced'], problem: undefined },
      later: { rule: 'other', told: [], problem: undefined },
    })
  })

  test('that is renamed into its place', async () => {
    const path = await createFile()
    const { look } = await follow(path)
    await writeFile(`${path}.new`, textOf('other'))
    await rename(`${path}.new`, path)
    expect(await look()).toEqual({ rule: 'other', told: ['replaced'], problem: undefined })
  })

  test('that is a ConfigMap of Kubernetes, where a link above it is swapped', async () => {
    const directory = await temporaryDirectory()
    for (const name of ['first', 'other']) {
      await mkdir(join(directory, `..${name}`))
      await writeFile(join(directory, `..${name}`, 'policy.json'), textOf(name))
    }
    await symlink('..first', join(directory, '..data'))
    await symlink('..data/policy.json', join(directory, 'policy.json'))
    const { look } = await follow(join(directory, 'policy.json'))
    await symlink('..other', join(directory, '..data_tmp'))
    await rename(join(directory, '..data_tmp'), join(directory, '..data'))
    expect(await look()).toEqual({ rule: 'other', told: ['replaced'], problem: undefined })
  })

  test('with the files of keys that it names', async () => {
    const directory = await temporaryDirectory()
    const path = join(directory, 'policy.json')
    const keys = (x: string) => JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] })
    const trust = { issuer, audiences: ['a'], keys: { file: 'keys.json' }, longestLifeSec: 60 }
    await writeFile(path, JSON.stringify(policyFile({ issuers: [trust] })))
    await writeFile(join(directory, 'keys.json'), keys('AAAA'))
    const { follower, look } = await follow(path)
    await writeFile(join(directory, 'keys.json'), keys('BBBB'))
    const looks = [await look()]
    const inForce = follower.policy().jwt[0]?.keys
    await writeFile(join(directory, 'keys.json'), '{"keys": [')
    looks.push(await look())
    await unlink(join(directory, 'keys.json'))
    looks.push(await look())
    expect({ inForce, looks }).toEqual({
      inForce: { inline: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'BBBB' }] } },
      looks: [
        { rule: 'people', told: ['replaced'] },
        { rule: 'people', told: ['kept'], problem: ['not-json'] },
        { rule: 'people', told: ['kept'], problem: ['file-unreadable'] },
      ],
    })
  })
})

describe('a policy stays in force', () => {
  test('while its file is wrong or missing, which is reported once', async () => {
    const path = await createFile()
    const { follower, look } = await follow(path)
    await writeFile(path, textOf('other').slice(0, -1))
    const lookSince = async () => ({ ...(await look()), since: follower.state().problem?.since })
    const looks = [await lookSince(), await lookSince()]
    await unlink(path)
    looks.push(await lookSince())
    const since = looks[0]?.since
    expect(looks).toEqual([
      { rule: 'first', told: ['kept'], problem: ['not-json'], since },
      { rule: 'first', told: [], problem: ['not-json'], since },
      { rule: 'first', told: ['kept'], problem: ['file-unreadable'], since },
    ])
  })

  test('until its file is valid again', async () => {
    const path = await createFile()
    const { follower, look, told } = await follow(path)
    await unlink(path)
    await look()
    await writeFile(path, textOf('first'))
    const looks = [await look()]
    await writeFile(path, '')
    await look()
    await writeFile(path, textOf('other'))
    looks.push(await look())
    const state = follower.state()
    expect({ looks, state, told }).toEqual({
      looks: [
        { rule: 'first', told: ['recovered'], problem: undefined },
        { rule: 'other', told: ['replaced'], problem: undefined },
      ],
      state: { digest: state.digest, since: expect.any(Number) },
      told: [{ kind: 'replaced', digest: state.digest, findings: expect.any(Array) }],
    })
  })

  test('where others can write the new file', async () => {
    const path = await createFile()
    const { look } = await follow(path)
    await writeFile(path, textOf('other'))
    await chmod(path, 0o666)
    const shared = await look()
    await chmod(path, 0o644)
    expect([shared, await look()]).toEqual([
      { rule: 'first', told: ['kept'], problem: ['file-mode'] },
      { rule: 'other', told: ['replaced'], problem: undefined },
    ])
  })

  test('while somebody is writing', async () => {
    const path = await createFile()
    const { look } = await follow(path)
    let writing: NodeJS.Timeout
    // The look waits in this process, so that something is written between its two reads.
    const writeMore = (text: string) => {
      writeFileSync(path, text)
      writing = setTimeout(() => writeMore(`${text} `), 10)
    }
    writeMore('{')
    const during = await look()
    clearTimeout(writing!)
    writeFileSync(path, textOf('other'))
    expect([during, await look()]).toEqual([
      { rule: 'first', told: [], problem: undefined },
      { rule: 'other', told: ['replaced'], problem: undefined },
    ])
  })
})

test('a policy follows its file by itself, until it is closed', async () => {
  const path = await createFile()
  let replaced = () => {}
  const wasReplaced = new Promise<void>((resolve) => {
    replaced = resolve
  })
  const follower = await startFollowingPolicy(path, {
    now: Date.now,
    observe: ({ kind }) => kind === 'replaced' && replaced(),
  })
  await writeFile(path, textOf('other'))
  await wasReplaced
  expect(follower.policy().rules[0]?.name).toBe('other')
  follower.close()
  await writeFile(path, textOf('third'))
  await follower.look()
  expect(follower.policy().rules[0]?.name).toBe('other')
})

describe('a file that is wrong to begin with is refused', () => {
  const refusalOf = async (path: string) => {
    const error = await startFollowingPolicy(path, { now: Date.now }).catch((thrown: unknown) => thrown)
    if (!(error instanceof HelperError)) throw error
    return { kind: error.kind, message: error.message, hint: error.hint }
  }

  test('with the first problem, and a hint to see the rest', async () => {
    const path = await createFile()
    await writeFile(path, '{"rules": [{}], "issuers": 7, "x": 1, "y": 2}')
    expect(await refusalOf(path)).toEqual({
      kind: 'not-configured',
      message: `the policy ${path} cannot be used: rules[0].name: it has to be set; rules[0]: it is for nobody; issuers: expected a list, found a whole number; and 2 more`,
      hint: `see everything that is wrong: gatepass gateway policy check --here '${path}'`,
    })
  })

  test.each<[what: string, change: (path: string) => Promise<unknown>, problem: string]>([
    ['where others can write it', (path) => chmod(path, 0o664), 'FILE can be written by other users'],
    [
      'where others can write its directory',
      (path) => chmod(dirname(path), 0o777),
      'DIRECTORY can be written by other users',
    ],
    ['where another user owns it', makeForeign, 'FILE belongs to another user, who can write it'],
    [
      'where it is longer than a policy',
      (path) => writeFile(path, ' '.repeat(1024 * 1024 + 1)),
      'it is larger than 1 MiB',
    ],
  ])('%s', async (_, change, problem) => {
    const path = await createFile()
    await change(path)
    const { message } = await refusalOf(path)
    expect(message.replaceAll(path, 'FILE').replaceAll(dirname(path), 'DIRECTORY')).toBe(
      `the policy FILE cannot be used: ${problem}`,
    )
  })

  test('but not where others can only add files to its directory', async () => {
    const path = await createFile()
    await chmod(dirname(path), 0o1777)
    const follower = await startFollowingPolicy(path, { now: Date.now })
    follower.close()
    expect(follower.policy().rules.map(({ name }) => name)).toEqual(['first'])
  })

  test('where it is a directory', async () => {
    const directory = dirname(await createFile())
    expect((await refusalOf(directory)).message).toBe(
      `the policy ${directory} cannot be used: ${directory} is not a file`,
    )
  })
})

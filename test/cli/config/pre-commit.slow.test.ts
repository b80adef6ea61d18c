import { existsSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../../pkg-scripts/tree.ts'
import { prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, runOnPath } from '../run-gatepass.ts'

const hooks = join(root, '.pre-commit-hooks.yaml')

/** The path of pre-commit, if it is installed. */
const preCommit = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'pre-commit'))
  .find((path) => existsSync(path))

const documents = {
  'good/managed-settings.json': documentWith(),
  'bad/managed-settings.json': documentWith({ command: '~/token' }),
  'package.json': 'not ours',
}

/** Creates a repository with these files, all staged; `commit` for one that others refer to. */
async function createRepository(files: Readonly<Record<string, string>>) {
  const cwd = await temporaryDirectory()
  const git = (...args: string[]) =>
    execa('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd })
  await git('init', '--quiet')
  for (const [name, content] of Object.entries(files)) {
    await execa('mkdir', ['-p', join(cwd, name, '..')])
    await writeFile(join(cwd, name), content)
  }
  await git('add', '--all')
  return { cwd, git }
}

describe('the hook for pre-commit', () => {
  test('is one that runs the check on the files that it selects', async () => {
    const [hook, ...others] = parse(await readFile(hooks, 'utf8'))
    expect(others).toEqual([])
    const selected = Object.keys(documents).filter((name) => new RegExp(hook.files).test(name))
    expect(selected).toEqual(['good/managed-settings.json', 'bad/managed-settings.json'])
    const { cwd } = await createRepository(documents)
    const [program, ...args] = hook.entry.split(' ')
    expect(await runOnPath(program, [...args, '--os', 'linux', selected[0]!], { cwd })).toEqual(
      prints(`\
Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command

This document works: 1 note.
`),
    )
    expect(await runOnPath(program, [...args, '--os', 'linux', ...selected], { cwd })).toEqual({
      status: 1,
      stdout: `\
good/managed-settings.json
Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command

This document works: 1 note.

bad/managed-settings.json
Errors: this will not take effect, or gives no credential
  inference.credential.command  tilde-in-path  line 1, column 132
    ~ is not expanded
    → write the full path, such as /usr/local/bin/…

Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command

This document does not work as it stands: 1 error, 1 note.

1 of 2 documents passed.
`,
      stderr: '',
    })
  })

  test.runIf(preCommit !== undefined)('is what pre-commit itself runs', async () => {
    const own = await createRepository({})
    await copyFile(hooks, join(own.cwd, '.pre-commit-hooks.yaml'))
    await own.git('add', '--all')
    await own.git('commit', '--quiet', '--message', 'hooks')
    const { stdout: rev } = await own.git('rev-parse', 'HEAD')
    const hook = { id: 'gatepass-config-check', args: ['--os', 'linux'] }
    const config = JSON.stringify({ repos: [{ repo: own.cwd, rev, hooks: [hook] }] })
    const user = await createRepository({ ...documents, '.pre-commit-config.yaml': config })
    const run = () => runOnPath(preCommit!, ['run', '--all-files', '--color', 'never'], { cwd: user.cwd })
    // The rest of the text is pre-commit's own.
    expect(await run()).toEqual({ status: 1, stdout: expect.stringContaining('1 of 2 documents passed.'), stderr: '' })
    await user.git('rm', '--quiet', '-f', 'bad/managed-settings.json')
    expect(await run()).toEqual(prints(expect.stringMatching(/^check configuration documents\.+Passed$/m)))
  })
})

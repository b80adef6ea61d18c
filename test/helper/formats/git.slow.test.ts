import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { quoteForShell } from '../../../src/runtime/text/quote.ts'
import { type Outcome, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { listen, runClient, startConsumer } from './start-consumer.ts'

const author = ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com']

/**
 * Starts a repository over http, as files (the "dumb" protocol), whose server wants a credential and remembers all that it saw.
 * @param challenge What it asks for.
 * @param isGood Whether it takes what was sent.
 */
async function startRemote(challenge: string, isGood: (authorization: string) => boolean) {
  const directory = await temporaryDirectory()
  const git = (...argv: string[]) => execa('git', argv, { cwd: directory, env: { HOME: directory } })
  await git('init', '--quiet', '--initial-branch=main', '.')
  await git(...author, 'commit', '--quiet', '--allow-empty', '--message=first')
  await git('update-server-info')
  const seen: string[] = []
  const server = createServer(async ({ url = '', headers: { authorization } }, response) => {
    if (authorization !== undefined) seen.push(authorization)
    if (authorization === undefined || !isGood(authorization))
      return void response.writeHead(401, { 'www-authenticate': challenge }).end()
    const path = join(directory, '.git', new URL(url, 'http://remote').pathname)
    const content = await readFile(path).catch(() => undefined)
    response.writeHead(content ? 200 : 404).end(content)
  })
  const port = await listen(server)
  return { url: `http://localhost:${port}/`, host: `localhost:${port}`, seen }
}

const basic = (user: string, token: string) => `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
const token = (number: number) => `made-up-access-token-${number}`
const quiet = { GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }

/** What Git lists of the remote, whose commit is another one in each run. */
const listed = { status: 0, stdout: 'COMMIT\tHEAD\nCOMMIT\trefs/heads/main\n', stderr: '' }
const withoutCommit = (outcome: Outcome) => ({
  ...outcome,
  stdout: outcome.stdout.replaceAll(/\b[0-9a-f]{40}\b/g, 'COMMIT'),
})

/** Git with our helper, and perhaps another one after it. */
async function startGit(host: string, ...others: string[]) {
  const consumer = await startConsumer(['--format', 'git', '--for-host', host])
  const helpers = [`!${quoteForShell(consumer.command)}`, ...others]
  const settings = helpers.flatMap((helper) => ['-c', `credential.helper=${helper}`])
  return { ...consumer, git: (...argv: string[]) => consumer.run('git', [...settings, ...argv], quiet) }
}

test('Git clones with the token, and the next command gets it from the cache', async () => {
  const remote = await startRemote('Basic realm="git"', (sent) => sent === basic('oauth2', token(1)))
  const { git, source } = await startGit(remote.host)
  const target = join(await temporaryDirectory(), 'clone')
  expect(await git('clone', '--quiet', remote.url, target)).toEqual({ status: 0, stdout: '', stderr: '' })
  const { stdout, ...rest } = await git('ls-remote', remote.url, 'main')
  expect({ ...rest, stdout: stdout.replace(/^[0-9a-f]{40}/, 'COMMIT') }).toEqual(prints('COMMIT\trefs/heads/main\n'))
  expect(new Set(remote.seen)).toEqual(new Set([basic('oauth2', token(1))]))
  expect(source.mints()).toBe(1)
})

test('a token that the server refuses is not served again', async () => {
  const remote = await startRemote('Basic realm="git"', (sent) => sent === basic('oauth2', token(2)))
  const { git, source } = await startGit(remote.host)
  expect(await git('ls-remote', remote.url)).toEqual({
    status: 128,
    stdout: '',
    stderr: `fatal: Authentication failed for '${remote.url}'\n`,
  })
  expect(withoutCommit(await git('ls-remote', remote.url))).toEqual(listed)
  expect(source.mints()).toBe(2)
})

test('Git asks the next helper for a host that is not named, and no token leaves', async () => {
  const remote = await startRemote('Basic realm="git"', (sent) => sent === basic('me', 'other'))
  const { git, source } = await startGit('git.example', '!printf "username=me\\npassword=other\\n" #')
  expect(withoutCommit(await git('ls-remote', remote.url))).toEqual(listed)
  expect({ mints: source.mints(), seen: new Set(remote.seen) }).toEqual({
    mints: 0,
    seen: new Set([basic('me', 'other')]),
  })
})

/** `authtype` is in 2.46. An older Git gets a password from us, and does not send it to a server that never asked for Basic. */
test('a server that wants a bearer gets one from a Git that can send it', async () => {
  const remote = await startRemote('Bearer realm="git"', (sent) => sent === `Bearer ${token(1)}`)
  const { git } = await startGit(remote.host)
  const [, major, minor] = /(\d+)\.(\d+)/.exec((await runClient('git', ['--version'], {})).stdout) ?? []
  const canBearer = Number(major) * 100 + Number(minor) >= 246
  const { status } = await git('ls-remote', remote.url)
  expect({ status, seen: new Set(remote.seen) }).toEqual(
    canBearer ? { status: 0, seen: new Set([`Bearer ${token(1)}`]) } : { status: 128, seen: new Set() },
  )
})

import { expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { createBadge, createFormatDesk, end, refused } from './format-desk.ts'

const argv = ['--format', 'git', '--for-host', 'git.example', '--for-host', 'localhost:8080']
const get = [...argv, 'get']
const ask = (...lines: string[]) => ({ stdin: `${['protocol=https', 'host=git.example', ...lines].join('\n')}\n\n` })
const expiry = `password_expiry_utc=${Math.floor(end.getTime() / 1000)}\n`
const nothing = prints('')

test('the token is the password, with the moment of its end', async () => {
  const desk = await createFormatDesk()
  expect(await desk.run(get, ask())).toEqual(prints(`username=oauth2\npassword=badge-1\n${expiry}`))
  expect(await desk.run(get, ask())).toEqual(prints(`username=oauth2\npassword=badge-1\n${expiry}`))
})

test('a token without a known end has none', async () => {
  const desk = await createFormatDesk(createBadge('no known end'))
  expect(await desk.run(get, ask())).toEqual(prints('username=oauth2\npassword=badge-1\n'))
})

test.each<[what: string, lines: string[], options: string[], username: string]>([
  ['of an option', [], ['--git-username', 'x-access-token'], 'x-access-token'],
  [
    'of an option, where the remote has an empty one',
    ['username='],
    ['--git-username', 'x-access-token'],
    'x-access-token',
  ],
  ['of the remote', ['username=me'], ['--git-username', 'x-access-token'], 'me'],
])('the user name %s is the one that is printed', async (_what, lines, options, username) => {
  const desk = await createFormatDesk()
  const { stdout } = await desk.run([...options, ...get], ask(...lines))
  expect(stdout).toBe(`username=${username}\npassword=badge-1\n${expiry}`)
})

const bearer = `capability[]=authtype\nauthtype=Bearer\ncredential=badge-1\nephemeral=1\n${expiry}`
const basic = `username=oauth2\npassword=badge-1\n${expiry}`

test.each<[lines: string[], stdout: string]>([
  [['capability[]=authtype', 'wwwauth[]=Bearer realm="x"'], bearer],
  [['capability[]=authtype', 'capability[]=state', 'wwwauth[]=bearer'], bearer],
  [['capability[]=authtype', 'wwwauth[]=Bearer', 'wwwauth[]=Basic realm="x"'], basic],
  [['capability[]=authtype', 'wwwauth[]=Bearer', 'wwwauth[]=', 'wwwauth[]=Basic'], basic],
  [['capability[]=authtype'], basic],
  [['capability[]=state', 'wwwauth[]=Bearer'], basic],
  [['wwwauth[]=Bearer'], basic],
])('the answer to %j is a kind that this Git can send and the server takes', async (lines, stdout) => {
  const desk = await createFormatDesk()
  expect(await desk.run(get, ask(...lines))).toEqual(prints(stdout))
})

test.each<[what: string, stdin: string]>([
  ['another host', 'protocol=https\nhost=other.example\n\n'],
  ['a name below', 'protocol=https\nhost=a.git.example\n\n'],
  ['another port', 'protocol=https\nhost=git.example:8443\n\n'],
  ['a host that looks like two', 'protocol=https\nhost=other.example/@git.example\n\n'],
  ['another protocol', 'protocol=smtp\nhost=git.example\n\n'],
  ['a protocol that is no scheme', 'protocol=constructor\nhost=git.example\n\n'],
])('%s gets no answer, so that Git asks the next helper', async (_what, stdin) => {
  const desk = await createFormatDesk()
  expect(await desk.run(get, { stdin })).toEqual(nothing)
})

test('a named host gets nothing over plain http, unless it is this machine', async () => {
  const desk = await createFormatDesk()
  expect(await desk.run(get, { stdin: 'protocol=http\nhost=git.example\n\n' })).toEqual(
    refused(
      5,
      'git.example would get the token over plain http, which anybody on the network can read',
      'give the remote an address that begins with https://, with: git remote set-url origin https://…',
    ),
  )
  expect(await desk.run(get, { stdin: 'protocol=http\nhost=localhost:8080\n\n' })).toEqual(prints(basic))
})

test.each<[what: string, stdin: string]>([
  ['nothing', ''],
  ['no attributes', '{"uri":"https://git.example"}'],
  ['a line without a name', '=x\nprotocol=https\nhost=git.example\n'],
  ['NUL', 'protocol=https\nhost=git.example\0\n'],
  ['no host', 'protocol=https\n\nhost=git.example\n'],
])('%s on stdin is a usage error', async (_what, stdin) => {
  const desk = await createFormatDesk()
  expect(await desk.run(get, { stdin })).toEqual(
    refused(
      2,
      'the request on stdin has no "protocol" and "host", or has a line that is not an attribute of Git',
      'let Git run this helper, with the configuration from: gatepass config init --client git --helper HELPER --base-url URL',
    ),
  )
})

test('after erase the next run mints, if it was the kept token that was refused', async () => {
  const desk = await createFormatDesk()
  const password = async () => /password=(.*)/.exec((await desk.run(get, ask())).stdout)?.[1]
  const erase = (...lines: string[]) => desk.run([...argv, 'erase'], ask('username=oauth2', ...lines))
  expect(await password()).toBe('badge-1')
  const outcomes: [erased: unknown, next: string | undefined][] = []
  for (const lines of [['password=badge-0'], ['password=badge-1'], ['authtype=Bearer', 'credential=badge-2'], []])
    outcomes.push([await erase(...lines), await password()])
  expect(outcomes).toEqual([
    [nothing, 'badge-1'],
    [nothing, 'badge-2'],
    [nothing, 'badge-3'],
    [nothing, 'badge-4'],
  ])
})

test.each([
  ['erase for another host', 'erase'],
  ['store', 'store'],
  ['an action of a later Git', 'capability'],
])('%s does nothing', async (_, action) => {
  const desk = await createFormatDesk()
  await desk.run(get, ask())
  const secret = 'protocol=https\nhost=other.example\nusername=oauth2\npassword=badge-1\n'
  const outcome = await desk.run([...argv, action], { stdin: secret })
  expect({ outcome, next: (await desk.run(get, ask())).stdout }).toEqual({
    outcome: nothing,
    next: 'username=oauth2\npassword=badge-1\npassword_expiry_utc=1768485599\n',
  })
})

test('headers, which Git cannot send, are refused before anything is asked', async () => {
  const desk = await createFormatDesk()
  expect(await desk.run(['--header', 'X-Team: a', ...get], ask())).toEqual(
    refused(
      5,
      "an answer of Git's credential helpers cannot carry headers",
      'pass --no-headers, or use another format; see: badge --help',
    ),
  )
  expect(await desk.run(['--header', 'X-Team: a', '--no-headers', ...get], ask())).toEqual(prints(basic))
})

import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { isProcessAlive } from '../../../src/runtime/host.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { isRoot } from '../../setup/unprivileged.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import { comeBack, type SignInRun, startDesk } from './desk.ts'

const printed = { status: 0, stdout: '{"token":"token-of-one"}\n' }
const signedIn = (stderr: string, code = 'one') => prints(`{"token":"token-of-${code}"}\n`, stderr)
const says = (tab: URL) => `made-up: a browser opens for the sign-in to Example; if you see none, open: ${tab.href}\n`
const untilSaid = (runs: readonly SignInRun[]) =>
  waitUntil('every run has said what to do', () => runs.every((run) => run.said() !== ''))

test('eight runs at once open one tab, and get a token when the person comes back', async () => {
  const desk = await startDesk()
  const runs = Array.from({ length: 8 }, (_, number) => desk.start(['--number', String(number % 4)]))
  const tab = await desk.untilTab()
  await untilSaid(runs)
  await comeBack(tab)
  for (const { outcome } of runs) expect(await outcome).toEqual(signedIn(says(tab)))
  expect(await desk.readTabs()).toEqual([tab.href])
})

test('the option browser names the program in place of BROWSER', async () => {
  const desk = await startDesk()
  const program = join(desk.home, 'my own browser')
  await writeFile(program, `#!/bin/sh\nprintf 'own %s\\n' "$1" >> "$HOME/tabs"\n`, { mode: 0o755 })
  const run = desk.start(['--browser', program], 'interactive', { DISPLAY: ':0' })
  await waitUntil('a tab is opened', async () => (await desk.readTabs()).length > 0)
  const [line = ''] = await desk.readTabs()
  const tab = new URL(line.replace('own ', ''))
  await untilSaid([run])
  await comeBack(tab)
  expect([line, await run.outcome]).toEqual([`own ${tab.href}`, signedIn(says(tab))])
})

test('a missing browser is reported at once in one line', async () => {
  const desk = await startDesk()
  const wrong = desk.start([], 'interactive', { BROWSER: '/nonexistent/browser --new' })
  await untilSaid([wrong])
  const dead = desk.readNote()?.shown?.address
  const why = 'no browser could be started: "/nonexistent/browser" does not exist (BROWSER, or the option browser)'
  const right = desk.start()
  const tab = await desk.untilTab()
  await untilSaid([right])
  await waitUntil('the first run says the new address', () => wrong.said().includes(says(tab)))
  await comeBack(tab)
  expect([await right.outcome, await wrong.outcome]).toEqual([
    signedIn(says(tab)),
    signedIn(`made-up: ${why}; to sign in to Example, open: ${dead}\n${says(tab)}`),
  ])
})

test('a browser that fails as it starts is reported, and the address can be opened by hand', async () => {
  const desk = await startDesk()
  const failing = join(desk.home, 'failing')
  await writeFile(failing, '#!/bin/sh\nuntil [ -e "$0.end" ]; do sleep 0.05; done\nexit 3\n', { mode: 0o755 })
  const command = desk.start(['sign-in', '--browser', failing], 'terminal')
  await untilSaid([command])
  const run = desk.start(['--browser', failing])
  await untilSaid([run])
  await writeFile(`${failing}.end`, '')
  const why = `no browser could be started: "${failing}" ended with status 3 (BROWSER, or the option browser)`
  await waitUntil('both say it', () => [command, run].every(({ said }) => said().includes(why)))
  const address = new URL(desk.readNote()?.shown?.address ?? '')
  const said = `${says(address)}made-up: ${why}; to sign in to Example, open: ${address}\n`
  await comeBack(address)
  expect({ command: await command.outcome, run: await run.outcome, tabs: await desk.readTabs() }).toEqual({
    command: prints('', said),
    run: signedIn(said),
    tabs: [],
  })
})

test('a later run joins the sign-in of a run that was killed or that ended at its deadline', async () => {
  const desk = await startDesk()
  const killed = desk.start()
  const tab = await desk.untilTab()
  await untilSaid([killed])
  process.kill(-killed.pid, 'SIGKILL')
  const short = await desk.start(['--client-timeout', '7']).outcome
  const last = desk.start()
  await untilSaid([last])
  await comeBack(tab)
  expect({ short, last: await last.outcome, tabs: await desk.readTabs() }).toEqual({
    short: {
      status: 7,
      stdout: '',
      stderr: `${says(tab)}made-up: the sign-in to Example took longer than the 5 s of this call
made-up: hint: finish it in the browser, and the next start joins it; for more time, tell your administrator: set timeoutSec in the client's document, and client-timeout here, to 300; its page is: ${tab.href}
`,
    },
    last: signedIn(says(tab)),
    tabs: [tab.href],
  })
})

test('when the process that signs in is killed, a run that waits starts it anew at once', async () => {
  const desk = await startDesk()
  const run = desk.start()
  const lost = await desk.untilTab()
  await untilSaid([run])
  process.kill(desk.readNote()?.pid ?? 0, 'SIGKILL')
  const tab = await desk.untilTab(2)
  expect(tab.href).not.toBe(lost.href)
  await waitUntil('the run has said the new address', () => run.said().includes(says(tab)))
  await comeBack(tab)
  expect(await run.outcome).toEqual(signedIn(says(lost) + says(tab)))
})

test('a person who denies it ends every run with the same words, and the next start asks again', async () => {
  const desk = await startDesk()
  const runs = [desk.start(), desk.start(['--number', '2'])]
  const tab = await desk.untilTab()
  await untilSaid(runs)
  await comeBack(tab, { error: 'access_denied' })
  const denied = {
    status: 5,
    stdout: '',
    stderr: `${says(tab)}made-up: the sign-in to Example was denied in the browser
made-up: hint: start again, and allow it there
`,
  }
  for (const { outcome } of runs) expect(await outcome).toEqual(denied)
  const next = desk.start()
  const again = await desk.untilTab(2)
  await untilSaid([next])
  await comeBack(again, { code: 'two' })
  expect(await next.outcome).toEqual(signedIn(says(again), 'two'))
})

test('the process and its runs end at the limit of the provider where nobody signs in', async () => {
  const desk = await startDesk({ limitSec: 3, userCode: 'ABCD-EFGH' })
  const { outcome } = desk.start(['--sign-in', 'device'])
  expect(await outcome).toEqual({
    status: 4,
    stdout: '',
    stderr: `made-up: to sign in to Example, enter the code ABCD-EFGH at: https://example.test/device
made-up: nobody finished the sign-in to Example within 0 minutes
made-up: hint: start again, which begins a new sign-in
`,
  })
  const pid = desk.readNote()?.pid ?? 0
  await waitUntil('the process has ended', () => !isProcessAlive(pid))
})

test('a sign-in that another program makes meanwhile ends the wait and the process', async () => {
  const desk = await startDesk()
  const run = desk.start()
  const tab = await desk.untilTab()
  await untilSaid([run])
  await writeFile(join(desk.home, 'store'), 'elsewhere')
  const outcome = await run.outcome
  await waitUntil('the note says so', () => desk.readNote()?.ended !== undefined)
  expect([outcome, desk.readNote()?.ended?.failure]).toEqual([signedIn(says(tab), 'elsewhere'), undefined])
})

test('in a silent context nothing opens, and the hint has the command that signs in', async () => {
  const desk = await startDesk()
  expect({
    refresh: await desk.start(['--number', '1'], 'mid-session-refresh').outcome,
    command: await desk.start(['sign-in'], 'background').outcome,
    tabs: await desk.readTabs(),
    note: desk.readNote(),
  }).toEqual({
    refresh: fails(
      'made-up',
      4,
      'nobody is signed in to Example',
      'start a new session, which lets a person sign in, or run: made-up sign-in --number 1',
    ),
    command: {
      status: 4,
      stdout: '',
      stderr:
        'made-up: in the context background nobody can be asked to sign in\nmade-up: hint: run in a terminal: made-up sign-in\n',
    },
    tabs: [],
    note: undefined,
  })
})

test('the command of a person signs in in the foreground, even where there is a sign-in', async () => {
  const desk = await startDesk()
  await writeFile(join(desk.home, 'store'), 'before')
  const command = desk.start(['sign-in'], 'terminal')
  const tab = await desk.untilTab()
  await comeBack(tab)
  expect(await command.outcome).toEqual({ status: 0, stdout: '', stderr: says(tab) })
  expect(await readFile(join(desk.home, 'store'), 'utf8')).toBe('one')
})

test('a corrected redirect begins a new sign-in, which the waiting runs join', async () => {
  const desk = await startDesk()
  const first = desk.start(['--back', '/wrong'])
  const dead = await desk.untilTab()
  await untilSaid([first])
  const pid = desk.readNote()?.pid ?? 0
  const second = desk.start()
  const tab = await desk.untilTab(2)
  await waitUntil('both runs have said it', () => [first, second].every((run) => run.said().includes(says(tab))))
  // A person who finishes the first tab reads where to go on, and nothing is kept of it.
  const page = await (await comeBack(dead, { code: 'old' })).text()
  await comeBack(tab)
  expect({
    page: page.match(/<p>.*<\/p>/)?.[0],
    callback: new URL(tab.searchParams.get('redirect_uri') ?? '').pathname,
    outcomes: [await first.outcome, await second.outcome],
    tabs: await desk.readTabs(),
    isAnotherProcess: desk.readNote()?.pid !== pid,
  }).toEqual({
    page: '<p>Another sign-in to Example was begun instead of this one.</p>',
    callback: '/oauth/callback',
    outcomes: [signedIn(says(dead) + says(tab)), signedIn(says(tab))],
    tabs: [dead.href, tab.href],
    isAnotherProcess: true,
  })
})

test('the sign-in that began last counts for windows with different settings', async () => {
  const desk = await startDesk()
  const runs = [desk.start(['--back', '/one'])]
  await desk.untilTab()
  runs.push(desk.start(['--back', '/two']))
  await desk.untilTab(2)
  runs.push(desk.start(['--back', '/three']), desk.start(['--back', '/three', '--number', '2']))
  const tab = await desk.untilTab(3)
  await waitUntil('every run has said the last address', () => runs.every((run) => run.said().includes(says(tab))))
  await comeBack(tab)
  const outcomes = await Promise.all(runs.map(({ outcome }) => outcome))
  expect({
    outcomes: outcomes.map(({ status, stdout }) => ({ status, stdout })),
    tabs: (await desk.readTabs()).length,
  }).toEqual({ outcomes: Array(4).fill(printed), tabs: 3 })
})

test('a code on another machine, in place of a browser that does not open, is another sign-in', async () => {
  const desk = await startDesk()
  const first = desk.start()
  const dead = await desk.untilTab()
  await untilSaid([first])
  const second = desk.start(['--sign-in', 'device'])
  await untilSaid([second])
  const shown = new URL(desk.readNote()?.shown?.address ?? '')
  const asks = `made-up: to sign in to Example, open: ${shown.href}\n`
  await waitUntil('the first run has said the new address', () => first.said().includes(asks))
  await comeBack(shown)
  expect({
    isAnother: shown.href !== dead.href,
    outcomes: [await first.outcome, await second.outcome],
  }).toEqual({ isAnother: true, outcomes: [signedIn(says(dead) + asks), signedIn(asks)] })
})

test('the command of a person ends the sign-in that is under way, whatever its settings', async () => {
  const desk = await startDesk()
  const run = desk.start()
  const dead = await desk.untilTab()
  await untilSaid([run])
  const pid = desk.readNote()?.pid ?? 0
  const command = desk.start(['sign-in'], 'terminal')
  const tab = await desk.untilTab(2)
  await waitUntil('the run has said the new address', () => run.said().includes(says(tab)))
  const pids = [pid === command.pid, desk.readNote()?.pid === command.pid]
  await comeBack(dead, { code: 'old' })
  await comeBack(tab)
  expect({ pids, command: await command.outcome, run: await run.outcome }).toEqual({
    pids: [false, true],
    command: { status: 0, stdout: '', stderr: says(tab) },
    run: signedIn(says(dead) + says(tab)),
  })
})

test('the second of two commands replaces the first, and the first says so', async () => {
  const desk = await startDesk()
  const first = desk.start(['sign-in'], 'terminal')
  const dead = await desk.untilTab()
  const second = desk.start(['sign-in'], 'terminal')
  const tab = await desk.untilTab(2)
  expect(await first.outcome).toEqual({
    status: 4,
    stdout: '',
    stderr: `${says(dead)}made-up: another sign-in to Example was begun instead of this one
made-up: hint: finish the other one, in the tab that was opened last
`,
  })
  await comeBack(tab)
  expect(await second.outcome).toEqual({ status: 0, stdout: '', stderr: says(tab) })
})

test('where the cache cannot be written, a run signs in by itself', async () => {
  const desk = await startDesk()
  await writeFile(join(desk.home, '.cache', 'gatepass'), 'a file')
  const run = desk.start()
  const tab = await desk.untilTab()
  await comeBack(tab)
  expect(toStableValue(await run.outcome, { [tab.href]: 'TAB' })).toEqual(
    signedIn(`\
made-up: warning: cannot use the token cache: TEMPORARY/.cache/gatepass is not a directory
made-up: warning: cannot use the token cache: TEMPORARY/.cache/gatepass is not a directory; this run signs in by itself, and the sign-in ends with it
made-up: a browser opens for the sign-in to Example; if you see none, open: TAB
made-up: warning: cannot use the token cache: TEMPORARY/.cache/gatepass is not a directory
`),
  )
})

test.runIf(isRoot)('on a full disk one of the runs signs in by itself, and the others wait for it', async () => {
  const desk = await startDesk()
  await mountFullDisk(join(desk.home, '.cache', 'gatepass'))
  const runs = [desk.start(), desk.start(['--number', '2'])]
  const tab = await desk.untilTab()
  await comeBack(tab)
  const outcomes = await Promise.all(runs.map(({ outcome }) => outcome))
  expect(outcomes.map(({ status, stdout }) => ({ status, stdout }))).toEqual([printed, printed])
  const said = runs.map((run) => run.said()).join('')
  expect([said.split(says(tab)).length - 1, await desk.readTabs()]).toEqual([1, [tab.href]])
})

test('the process that signs in has no parent, no pipe of the run, and only the environment that it needs', async () => {
  const desk = await startDesk()
  const run = desk.start()
  await desk.untilTab()
  await untilSaid([run])
  const pid = desk.readNote()?.pid ?? 0
  const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((entry) => entry.split('=')[0])
  const before = await readProcess(pid)
  const files = await listOpenFiles(pid)
  const pipes = (await listOpenFiles(run.pid)).filter((file) => file.startsWith('pipe:') && files.includes(file))
  await sleep(2_000) // in which a process that does not rest would use more than 200 ms
  expect({
    variables: names.filter(Boolean).toSorted(),
    isOwnSession: before.session === pid,
    isChild: await isSignInProcess(before.parent),
    files: files.slice(0, 3),
    pipes,
    rests: (await readProcess(pid)).cpuMs - before.cpuMs < 200,
  }).toEqual({
    variables: ['BROWSER', 'GATEPASS_SIGN_IN_STEP', 'HOME', 'PATH', 'VENDOR_HELPER_CONTEXT'],
    isOwnSession: true,
    isChild: false,
    files: ['/dev/null', '/dev/null', '/dev/null'],
    pipes: [],
    rests: true,
  })
})

/** What Linux tells of a process. */
async function readProcess(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [, parent = 0, , session = 0] = fields
  return { parent, session, cpuMs: ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10 } // utime and stime, in ticks of 10 ms
}

async function isSignInProcess(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('made-up-helper')
}

async function listOpenFiles(pid: number): Promise<string[]> {
  const names = (await readdir(`/proc/${pid}/fd`)).map(Number).sort((a, b) => a - b)
  return Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => 'closed')))
}

/** Mounts a file system with room for names only, until the test is over. */
async function mountFullDisk(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 })
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=8k,mode=0700', 'tmpfs', path])
  onTestFinished(async () => {
    await execa('umount', ['--lazy', path])
  })
  await writeFile(join(path, 'filler'), 'x'.repeat(8192))
}

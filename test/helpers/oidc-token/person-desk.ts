import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import type { ClientContext } from '../../../src/contract/context.ts'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import type { ClientProcess } from '../../setup/client-process.ts'
import { endSignIns } from '../../setup/end-sign-ins.ts'
import type { Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import type { PersonSettings } from '../../stand-ins/provider/person/create-person.ts'
import { writeBrowser } from '../../stand-ins/provider/person/write-browser.ts'
import type { ProviderSettings } from '../../stand-ins/provider/settings.ts'
import { type StandInProvider, startProvider } from '../../stand-ins/provider/start-provider.ts'
import { program } from './seed-sign-in.ts'

interface PersonCall {
  readonly argv?: readonly string[]
  readonly context?: ClientContext
  readonly env?: Readonly<Record<string, string>>
  /** By default the test's own process. */
  readonly client?: ClientProcess
}

/** A provider, and the desktop of a person whose browser signs in by itself, for runs of the built helper. */
export interface PersonDesk {
  readonly home: string
  readonly provider: StandInProvider
  /** The arguments that name the provider. */
  readonly site: readonly string[]
  /** Says who the person is from now on. */
  sitDown(person: PersonSettings): Promise<void>
  /** The same of a person who does nothing before they come back. */
  stepOut(person: PersonSettings): Promise<{ comeBack(): Promise<void> }>
  run(call?: PersonCall): Promise<Outcome>
  /** The same of a run that is watched: `waitForText` waits for a text on its stderr. */
  begin(call?: Omit<PersonCall, 'client'>): {
    readonly outcome: Promise<Outcome>
    waitForText(text: string): Promise<void>
  }
  /** The same in words, see `toWords`. */
  runInWords(call?: PersonCall): Promise<Outcome>
  /** An outcome in words: SITE is the arguments that name the provider, HOST the provider, TAB an address that the browser opened; `more` maps other texts to words. */
  toWords(outcome: Outcome, more?: Readonly<Record<string, string>>): Promise<Outcome>
  /** The addresses that the browser was told to open. */
  readTabs(): Promise<string[]>
}

/** A run says this when it opens the browser. */
export const opens = 'oidc-token: a browser opens for the sign-in to HOST; if you see none, open: TAB\n'

/** The provider's tokens live two hours where `settings` do not say otherwise. */
export async function startPersonDesk(settings: ProviderSettings = {}): Promise<PersonDesk> {
  const home = await temporaryDirectory()
  const provider = await startProvider({ lifeSec: { idToken: 7_200 }, ...settings })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  onTestFinished(() => endSignIns(join(home, '.cache', 'gatepass')))
  const browser = join(home, 'browser')
  const tabs = join(home, 'tabs')
  const site = ['--client-id', provider.clientId, '--issuer', provider.issuer]
  const noteTab = `printf '%s\\n' "$1" >> '${tabs}'\n`
  const sitDown = async (person: PersonSettings) => void (await writeBrowser(browser, person, noteTab))
  const stepOut = async (person: PersonSettings) => {
    const back = join(home, 'back')
    await writeBrowser(browser, person, `${noteTab}until [ -e '${back}' ] || [ ! -e "$0" ]; do sleep 0.1; done\n`)
    return { comeBack: () => writeFile(back, '') }
  }
  await sitDown({})
  const readTabs = async () => (await readFile(tabs, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const known = { [home]: 'HOME', [site.join(' ')]: 'SITE', [new URL(provider.issuer).host]: 'HOST' }
  const toWords = async (outcome: Outcome, more = {}) =>
    toStableValue(outcome, {
      ...known,
      ...more,
      ...Object.fromEntries((await readTabs()).map((tab) => [tab, 'TAB'])),
    })
  const toCommand = ({ argv = site, context = 'interactive', env = {} }: PersonCall) => ({
    words: [toBundlePath(program), ...argv],
    variables: { HOME: home, PATH: '/usr/bin:/bin', BROWSER: browser, ...toContextVariables(context), ...env },
  })
  const begin = (call: PersonCall = {}) => {
    const { words, variables } = toCommand(call)
    const child = execa(process.execPath, words, {
      env: variables,
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      stripFinalNewline: false,
      cwd: '/',
    })
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    const outcome = child.then(({ exitCode, signal, stdout, stderr }) => ({
      status: exitCode ?? signal ?? 'not started',
      stdout,
      stderr,
    }))
    return {
      outcome,
      waitForText: (text: string) => waitUntil(`the run says ${text}`, async () => said.includes(text)),
    }
  }
  const run = async (call: PersonCall = {}) => {
    const { words, variables } = toCommand(call)
    return call.client ? call.client.run(process.execPath, words, variables) : begin(call).outcome
  }
  return {
    home,
    provider,
    site,
    sitDown,
    stepOut,
    run,
    begin,
    toWords,
    readTabs,
    runInWords: async (call) => toWords(await run(call)),
  }
}

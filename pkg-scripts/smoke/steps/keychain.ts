import { randomBytes } from 'node:crypto'
import { requireOutcome, requireSame, Skipped, toSuccess } from '../subject/findings.ts'
import type { SmokeSubject } from '../subject/subject.ts'
import { requireToken } from './token-call.ts'

/** The user's keychain keeps a key, gives it and forgets it, under a name that nobody else uses. */
export async function checkKeychain(subject: SmokeSubject): Promise<string> {
  const env = { ...subject.env, ...findSession() }
  const name = ['--key-name', `smoke-${process.pid}-${randomBytes(4).toString('hex')}`]
  const key = `sk-smoke-${randomBytes(20).toString('hex')}`
  const stored = await subject.run('api-key', ['store', ...name], { env, stdin: `${key}\n` })
  try {
    requireOutcome('api-key store', stored, { status: 0, stdout: /^/, stderr: /^/ })
    requireSame('the key', requireToken('api-key', await subject.run('api-key', name, { env })), key)
  } finally {
    const forgotten = await subject.run('api-key', ['forget', ...name], { env })
    if (stored.status === 0) requireOutcome('api-key forget', forgotten, { ...toSuccess(/^/), stderr: /^/ })
  }
  const gone = await subject.run('api-key', name, { env })
  requireOutcome('api-key after that', gone, { status: 3, stdout: '', stderr: /there is no key/ })
  return 'stored, read and forgotten'
}

/** Variables that lead to the keychain of who runs this. Throws where it has none. */
function findSession(): Record<string, string> {
  const { DBUS_SESSION_BUS_ADDRESS: bus, XDG_RUNTIME_DIR: runtime, HOME: home } = process.env
  if (process.platform === 'darwin' && home) return { HOME: home }
  if (process.platform !== 'linux') return {}
  if (!bus) throw new Skipped('there is no session bus, and so no Secret Service')
  return { DBUS_SESSION_BUS_ADDRESS: bus, ...(runtime && { XDG_RUNTIME_DIR: runtime }) }
}

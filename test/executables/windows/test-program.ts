import { start as startClient } from './client-program.ts'
import { start as startEcho } from './echo-program.ts'

/** Acts as the client, or as a helper that echoes, by the name under which it is started. */
export function start(): void | Promise<void> {
  return /\bclient\.exe$/i.test(process.execPath) ? startClient() : startEcho()
}

import { createInterface } from 'node:readline'
import { ReadStream } from 'node:tty'
import { HelperError } from '../../../../runtime/failure.ts'
import type { SignInTools } from '../../../oauth/flow.ts'
import { type AuthorizationRequest, parsePastedCode } from './authorization-request.ts'

/**
 * Asks the person at the terminal for the code that the browser shows, until it is one of this request.
 * @throws {HelperError} `sign-in-required` where the person ends the input.
 */
export async function askForCode(request: AuthorizationRequest, { host, call }: SignInTools): Promise<string> {
  const ask = (text: string) => host.streams.stderr(`${call.program}: ${text}\n`)
  // Not `process.stdin`: only the host touches the process, and this stream is closed with the question.
  const input = new ReadStream(0)
  const lines = createInterface({ input, terminal: false })
  try {
    ask('when you are done there, paste the code that the page shows, and press Enter')
    for await (const line of lines) {
      const code = parsePastedCode(line, request)
      if (code !== undefined) return code
      if (line.trim() !== '') ask('that is not the code of this sign-in: copy it again, whole, and paste it')
    }
  } finally {
    lines.close()
    input.destroy()
  }
  throw new HelperError('sign-in-required', 'the sign-in was given up before a code was pasted', 'start again')
}

import { runCli } from '../../../src/cli/run-cli.ts'
import type { Outcome } from '../../setup/run-program.ts'
import { testNow } from '../../setup/test-host.ts'
import { createTestCli } from '../run-here.ts'

/** Runs `gatepass verify` in this process with this on its standard input, at noon of the test host's clock. */
export async function verifyHere(input: string | Uint8Array, ...argv: readonly string[]): Promise<Outcome> {
  const { cli, written } = await createTestCli(['verify', ...argv])
  const stdin = async (longest: number) => Buffer.from(input).subarray(0, longest + 1)
  await runCli({ ...cli, host: { ...cli.host, streams: { ...cli.host.streams, stdin } } })
  return written
}

/** Seconds of the test host's clock, with a distance. */
export function secondsFromNow(distance: number): number {
  return testNow / 1000 + distance
}

/** Writes a JWT that nobody has signed. */
export function writeJwt(claims: object | string, header: object = { alg: 'ES256', kid: 'k1' }): string {
  const encode = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  return `${encode(header)}.${encode(claims)}.${Buffer.from('canary-signature').toString('base64url')}`
}

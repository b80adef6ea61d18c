import { HelperError } from '../../../runtime/failure.ts'

/** Why the port cannot be opened to which the browser comes back. A fixed one is part of what is registered with the provider. */
export function describePortFailure(
  addresses: readonly string[],
  { port, code }: { readonly port: number; readonly code: string },
): HelperError {
  const { problem, hint } = reasons[code] ?? {
    problem: `cannot be opened (${code})`,
    hint: `start again, or ${anotherPort}`,
  }
  const what =
    port === 0
      ? `${addresses.join(' and ')}, to which the browser comes back,`
      : `port ${port} of this machine, to which the browser comes back,`
  return new HelperError('refused', `${what} ${problem}`, hint)
}

const anotherPort = 'register another port with the provider and set it as the redirect port'

interface Reason {
  readonly problem: string
  readonly hint: string
}

/** By the codes that systems give. */
const reasons: Readonly<Record<string, Reason>> = {
  EADDRINUSE: {
    problem: 'is used by another program',
    hint: `end that program, or wait for another sign-in that uses the port, and start again; or ${anotherPort}`,
  },
  // Windows reserves ranges of ports for virtual machines: `netsh interface ipv4 show excludedportrange tcp`.
  EACCES: { problem: 'is reserved by the system (EACCES)', hint: anotherPort },
  EADDRNOTAVAIL: {
    problem: 'cannot be opened: this machine has no such address',
    hint: 'give this machine its loopback address again; `localhost` as redirect host needs only one of 127.0.0.1 and ::1',
  },
}

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HelperError } from '../../../runtime/failure.ts'
import type { PolicyFinding } from '../../../verify/policy/finding.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { listKeyFiles, type PolicyReading, parsePolicy } from '../../../verify/policy/read/parse-policy.ts'
import type { Log } from '../../../verify/server/log.ts'
import type { VerifierFacts } from '../../../verify/server/operator/verifier-facts.ts'

/** The policy in force. */
export interface StartedPolicy {
  current(): Policy
  state(): VerifierFacts['policy']
  /** Reads the file again; one that cannot be used changes nothing, and is logged. */
  reload(): void
  close(): void
}

/**
 * Reads the policy.
 * @throws {HelperError} `usage` for a file that cannot be used.
 */
export async function startPolicy(
  file: string,
  { now, log }: { readonly now: () => number; readonly log: Log },
): Promise<StartedPolicy> {
  let current = requirePolicy(file, await readPolicy(file))
  let state = { loadedAt: now(), isFileRefused: false }
  const reload = async () => {
    try {
      current = requirePolicy(file, await readPolicy(file))
      state = { loadedAt: now(), isFileRefused: false }
      log.tell({ level: 'info', event: 'policy', message: `${file} was read again` })
    } catch (thrown) {
      if (!(thrown instanceof HelperError)) throw thrown
      state = { ...state, isFileRefused: true }
      log.tell({
        level: 'error',
        event: 'policy-refused',
        message: `${thrown.message}; the earlier policy stays in force`,
      })
    }
  }
  return { current: () => current, state: () => state, reload: () => void reload(), close: () => {} }
}

async function readPolicy(file: string): Promise<PolicyReading> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new HelperError('usage', `cannot read ${file} (${cause.code})`, 'name a policy file with --policy', { cause })
  })
  const names = listKeyFiles(bytes)
  const contents = await Promise.all(names.map((name) => readFile(join(dirname(file), name)).catch(() => undefined)))
  return parsePolicy(bytes, new Map(names.flatMap((name, at) => (contents[at] ? [[name, contents[at]]] : []))))
}

function requirePolicy(file: string, { policy, findings }: PolicyReading): Policy {
  if (policy) return policy
  const errors = findings.filter(({ severity }) => severity === 'error')
  throw new HelperError('usage', `${file}: ${errors.map(renderFinding).join('; ')}`, 'correct what the message names')
}

function renderFinding({ path, message }: PolicyFinding): string {
  return path === '' ? message : `${path}: ${message}`
}

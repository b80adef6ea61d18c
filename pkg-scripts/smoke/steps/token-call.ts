import { requireOutcome, toSuccess } from '../subject/findings.ts'
import type { ProgramEnd } from '../subject/programs.ts'
import type { TokenServer } from '../subject/token-server.ts'

/** Arguments with which `workload-token` asks our server; another key has another entry in the cache. */
export function toMintArguments({ url }: Pick<TokenServer, 'url'>, key: string): string[] {
  const target = ['--base-url', url, '--organization', 'org-1', '--federation-rule', 'rule-1']
  return [...target, '--identity', 'variable', '--identity-variable', 'IDENTITY_TOKEN', '--header', `X-Key: ${key}`]
}

/** Returns the token of a call that succeeds silently; throws for any other call. */
export function requireToken(what: string, outcome: ProgramEnd): string {
  const form = /^\{"token":"(?<token>[\w.-]+)"[^\n]*\}\n?$/
  const { stdout } = requireOutcome(what, outcome, toSuccess(form))
  return form.exec(stdout)!.groups!.token!
}

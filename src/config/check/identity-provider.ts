import { findProviderProblems } from '../../contract/identity-providers/find-provider-problems.ts'
import type { NameSetting, ProviderSettings } from '../../contract/identity-providers/provider-settings.ts'
import type { HelperScriptCredential, Oidc } from '../document.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { toCredentialPath as at, type HelperFacts, type Subject } from './rule.ts'

/** Validates a document's sign-in against what is known of its provider's family. */
export function validateProviderRules(oidc: Oidc, { spell }: Subject): Finding[] {
  return toFindings(
    oidc,
    (setting) => setting,
    (setting) => spell(at(`oidc.${setting}`)),
  )
}

/** Validates the same of a helper that signs in by itself; its options are arguments of the document. */
export function validateHelperProvider(
  _: HelperScriptCredential,
  { spell }: Subject,
  { provider }: HelperFacts,
): Finding[] {
  return provider ? toFindings(provider, toOption, () => spell(at('args'))) : []
}

function toFindings(settings: ProviderSettings, name: NameSetting, locate: NameSetting): Finding[] {
  return findProviderProblems(settings, name).map(({ setting, code, message, hint }) =>
    createFinding(code, locate(setting), message, hint),
  )
}

function toOption(setting: string): string {
  const option = setting === 'parameters' ? 'authorization-parameter' : setting
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

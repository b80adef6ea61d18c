import { clientDefaults, midSessionTimeoutSec, perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import type { HelperScriptCredential } from '../document.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { findHelper } from './find-helper.ts'
import { validateCloudPaths, validateCommandPaths } from './helper-path.ts'
import { validateHelperProvider } from './identity-provider.ts'
import { validateKeyGateway } from './key-gateway.ts'
import { toCredentialPath as at, findCredential, type HelperFacts, type Rule, type Subject } from './rule.ts'

/** Rules about a helper's path, arguments and settings, and about its times. */
export const helperScriptRules: readonly Rule[] = [
  forHelper(validateCommandPaths),
  forHelper(validateCloudPaths),

  forHelper(function validateProfile({ awsEnv }, { spell }) {
    if (awsEnv?.profile === undefined || awsEnv.profile.trim() !== '') return []
    const path = spell(at('awsEnv.profile'))
    return [createFinding('empty-profile', path, 'it is empty', 'set it to the name of a profile, or remove it')]
  }),

  forHelper(function validateArguments(_, { spell }, { argumentProblem }) {
    if (argumentProblem === undefined) return []
    return [
      createFinding(
        'helper-arguments',
        spell(at('args')),
        `the helper refuses them: ${argumentProblem}`,
        'correct them',
      ),
    ]
  }),

  forHelper(function validateSettings({ command }, { spell }, { settingsProblem }) {
    if (settingsProblem === undefined) return []
    const path = spell(at(command === undefined ? 'commandWindows' : 'command'))
    const message = `the helper refuses its settings on this machine: ${settingsProblem.message}`
    return [createFinding('helper-settings', path, message, settingsProblem.hint)]
  }),

  forHelper(validateKeyGateway),
  forHelper(validateHelperProvider),

  forHelper(function validateTurnCheck({ ttlSec }, { spell }) {
    if (ttlSec === undefined || ttlSec > perTurnCheckAboveTtlSec) return []
    const message = `at ${perTurnCheckAboveTtlSec} or less the helper does not run again before a turn, only at the next session or after a rejection`
    return [
      createFinding('ttl-without-turn-check', spell(at('ttlSec')), message, `set it above ${perTurnCheckAboveTtlSec}`),
    ]
  }),

  forHelper(function validateTokenLife({ ttlSec = clientDefaults.ttlSec }, { spell }, facts) {
    const { tokenLifeSec, longestTtlSec = tokenLifeSec } = facts
    if (tokenLifeSec === undefined || longestTtlSec === undefined || ttlSec <= longestTtlSec) return []
    const life = `${ttlSec > tokenLifeSec ? 'but' : 'and'} this helper's tokens live at most ${tokenLifeSec} s`
    const message = `the client caches a token for ${ttlSec} s, ${life}`
    return [createFinding('ttl-beyond-token', spell(at('ttlSec')), message, `set it to ${longestTtlSec} or less`)]
  }),

  forHelper(function validateTtlAgreement({ ttlSec = clientDefaults.ttlSec }, { spell }, { clientTtlSec }) {
    if (clientTtlSec === undefined || clientTtlSec === ttlSec) return []
    const message = `it is ${ttlSec}, but the helper is configured for ${clientTtlSec}`
    return [createFinding('ttl-differs', spell(at('ttlSec')), message, renderHelperHint('client-ttl', ttlSec, spell))]
  }),

  forHelper(function validateTimeoutAgreement(
    { timeoutSec = clientDefaults.timeoutSec },
    { spell },
    { clientTimeoutSec },
  ) {
    if (clientTimeoutSec === undefined || clientTimeoutSec === timeoutSec) return []
    const message = `it is ${timeoutSec}, but the helper is configured for ${clientTimeoutSec}`
    return [
      createFinding(
        'timeout-differs',
        spell(at('timeoutSec')),
        message,
        renderHelperHint('client-timeout', timeoutSec, spell),
      ),
    ]
  }),

  forHelper(function reportRefreshLimit({ timeoutSec, silentRefreshEnabled }, { spell }) {
    if (timeoutSec === undefined || timeoutSec <= midSessionTimeoutSec || silentRefreshEnabled === false) return []
    return [
      createFinding(
        'refresh-clamped',
        spell(at('timeoutSec')),
        `in the middle of a session the client waits at most ${midSessionTimeoutSec} s, whatever is set here`,
        '',
      ),
    ]
  }),

  forHelper(function validateSessionLifetime(
    { ttlSec = clientDefaults.ttlSec },
    { inference: { sessionLifetimeSec }, spell },
  ) {
    if (sessionLifetimeSec === undefined || sessionLifetimeSec >= ttlSec) return []
    const message = `a sign-in ends after ${sessionLifetimeSec} s, before the client's ${ttlSec} s for a token are over`
    return [
      createFinding(
        'session-shorter-than-ttl',
        spell('inference.sessionLifetimeSec'),
        message,
        `set it to ${ttlSec} or more`,
      ),
    ]
  }),
]

function renderHelperHint(option: string, seconds: number, spell: Subject['spell']): string {
  return `set the helper's ${option} to ${seconds}, for example with "--${option}", "${seconds}" in ${spell(at('args'))}`
}

type HelperRule = (credential: HelperScriptCredential, subject: Subject, facts: HelperFacts) => readonly Finding[]

function forHelper(rule: HelperRule): Rule {
  return (subject) => {
    const credential = findCredential(subject, 'helper-script')
    return credential ? rule(credential, subject, findFacts(credential, subject)) : []
  }
}

function findFacts(credential: HelperScriptCredential, { os, helpers }: Subject): HelperFacts {
  const name = helpers && findHelper(credential, os, (known) => helpers.has(known))?.name
  return (name !== undefined && helpers?.get(name)) || {}
}

import { clientDefaults, midSessionTimeoutSec, perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import type { HelperScriptCredential } from '../document.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import { findHelper } from './find-helper.ts'
import { cloudPathsAreAbsolute, commandCanStart } from './helper-path.ts'
import { credentialOf, type HelperFacts, type Rule, type Subject } from './rule.ts'

const at = (name: string) => `inference.credential.${name}`

/** What a helper needs in order to be found, and what its times do to each other. */
export const helperScriptRules: readonly Rule[] = [
  forHelper(commandCanStart),
  forHelper(cloudPathsAreAbsolute),

  forHelper(function helperTakesItsArguments(_, { spell }, { argumentProblem }) {
    if (argumentProblem === undefined) return []
    return [
      finding('helper-arguments', spell(at('args')), `the helper refuses them: ${argumentProblem}`, 'correct them'),
    ]
  }),

  forHelper(function helperTakesItsSettings({ command }, { spell }, { settingsProblem }) {
    if (settingsProblem === undefined) return []
    const path = spell(at(command === undefined ? 'commandWindows' : 'command'))
    const message = `the helper refuses its settings on this machine: ${settingsProblem.message}`
    return [finding('helper-settings', path, message, settingsProblem.hint)]
  }),

  forHelper(function turnsAreChecked({ ttlSec }, { spell }) {
    if (ttlSec === undefined || ttlSec > perTurnCheckAboveTtlSec) return []
    const message = `at ${perTurnCheckAboveTtlSec} or less the helper does not run again before a turn, only at the next session or after a rejection`
    return [finding('ttl-without-turn-check', spell(at('ttlSec')), message, `set it above ${perTurnCheckAboveTtlSec}`)]
  }),

  forHelper(function tokensOutliveTtl({ ttlSec = clientDefaults.ttlSec }, { spell }, { tokenLifeSec }) {
    if (tokenLifeSec === undefined || ttlSec <= tokenLifeSec) return []
    const message = `the client keeps a token for ${ttlSec} s, but this helper's live ${tokenLifeSec} s at most`
    return [finding('ttl-beyond-token', spell(at('ttlSec')), message, `set it to ${tokenLifeSec} or less`)]
  }),

  forHelper(function ttlIsWhatTheHelperBelieves({ ttlSec = clientDefaults.ttlSec }, { spell }, { clientTtlSec }) {
    if (clientTtlSec === undefined || clientTtlSec === ttlSec) return []
    const message = `it is ${ttlSec}, but the helper is configured for ${clientTtlSec}`
    return [finding('ttl-differs', spell(at('ttlSec')), message, tellHelper('client-ttl', ttlSec, spell))]
  }),

  forHelper(function timeoutIsWhatTheHelperBelieves(
    { timeoutSec = clientDefaults.timeoutSec },
    { spell },
    { clientTimeoutSec },
  ) {
    if (clientTimeoutSec === undefined || clientTimeoutSec === timeoutSec) return []
    const message = `it is ${timeoutSec}, but the helper is configured for ${clientTimeoutSec}`
    return [
      finding('timeout-differs', spell(at('timeoutSec')), message, tellHelper('client-timeout', timeoutSec, spell)),
    ]
  }),

  forHelper(function refreshIsClamped({ timeoutSec, silentRefreshEnabled }, { spell }) {
    if (timeoutSec === undefined || timeoutSec <= midSessionTimeoutSec || silentRefreshEnabled === false) return []
    return [
      finding(
        'refresh-clamped',
        spell(at('timeoutSec')),
        `in the middle of a session the client waits ${midSessionTimeoutSec} s at most, whatever stands here`,
        '',
      ),
    ]
  }),

  forHelper(function sessionOutlivesTtl(
    { ttlSec = clientDefaults.ttlSec },
    { inference: { sessionLifetimeSec }, spell },
  ) {
    if (sessionLifetimeSec === undefined || sessionLifetimeSec >= ttlSec) return []
    const message = `a sign-in ends after ${sessionLifetimeSec} s, before a token's ${ttlSec} s are over`
    return [
      finding(
        'session-shorter-than-ttl',
        spell('inference.sessionLifetimeSec'),
        message,
        `set it to ${ttlSec} or more`,
      ),
    ]
  }),
]

function tellHelper(option: string, seconds: number, spell: Subject['spell']): string {
  return `set the helper's ${option} to ${seconds}, for example with "--${option}", "${seconds}" in ${spell(at('args'))}`
}

type HelperRule = (credential: HelperScriptCredential, subject: Subject, facts: HelperFacts) => readonly Finding[]

function forHelper(rule: HelperRule): Rule {
  return (subject) => {
    const credential = credentialOf(subject, 'helper-script')
    return credential ? rule(credential, subject, factsOf(credential, subject)) : []
  }
}

function factsOf(credential: HelperScriptCredential, { os, helpers }: Subject): HelperFacts {
  const name = helpers && findHelper(credential, os, (known) => helpers.has(known))?.name
  return (name !== undefined && helpers?.get(name)) || {}
}

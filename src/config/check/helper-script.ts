import { findKeyGateway, type KeyGateway } from '../../contract/aws/keys.ts'
import { clientDefaults, midSessionTimeoutSec, perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import type { HelperScriptCredential } from '../document.ts'
import { createFinding, type Finding } from '../finding.ts'
import { validateCloudPaths, validateCommandPaths, validateHelperProvider } from './helper-path.ts'
import {
  toCredentialPath as at,
  type DocumentRule,
  findCredential,
  findDocumentHelper,
  type HelperFacts,
  type RuleSubject,
} from './rule.ts'

/** Rules about a helper's path, arguments and settings, and about its times. */
export const helperScriptRules: readonly DocumentRule[] = [
  toHelperRule(validateCommandPaths),
  toHelperRule(validateCloudPaths),

  toHelperRule(function validateProfile({ awsEnv }, { spell }) {
    if (awsEnv?.profile === undefined || awsEnv.profile.trim() !== '') return []
    const path = spell(at('awsEnv.profile'))
    return [createFinding('empty-profile', path, 'it is empty', 'set it to the name of a profile, or remove it')]
  }),

  toHelperRule(function validateArguments(_, { spell }, { argumentProblem }) {
    if (argumentProblem === undefined) return []
    return [
      createFinding(
        'helper-arguments',
        spell(at('args')),
        `the helper gives no token with them: ${argumentProblem.message}`,
        argumentProblem.hint,
      ),
    ]
  }),

  toHelperRule(function validateSettings({ command }, { spell }, { settingsProblem }) {
    if (settingsProblem === undefined) return []
    const path = spell(at(command === undefined ? 'commandWindows' : 'command'))
    const message = `the helper refuses its settings on this machine: ${settingsProblem.message}`
    return [createFinding('helper-settings', path, message, settingsProblem.hint)]
  }),

  toHelperRule(function validateProxySetting({ command }, { spell }, { proxyProblem }) {
    if (proxyProblem === undefined) return []
    const path = spell(at(command === undefined ? 'commandWindows' : 'command'))
    const message = `the helper's requests beyond this machine fail: ${proxyProblem.message}`
    return [createFinding('helper-proxy', path, message, proxyProblem.hint)]
  }),

  toHelperRule(function reportUnsetOptions(_, { spell }, { unsetOptions = [] }) {
    if (unsetOptions.length === 0) return []
    const message = `the helper gets no token until ${unsetOptions.join(', ')} ${unsetOptions.length === 1 ? 'is' : 'are'} set`
    const hint = `pass --${unsetOptions[0]} here, or set it in the helper's file on each machine`
    return [createFinding('helper-option-unset', spell(at('args')), message, hint)]
  }),

  toHelperRule(validateKeyGateway),
  toHelperRule(validateHelperProvider),

  toHelperRule(function validateTurnCheck({ ttlSec }, { spell }) {
    if (ttlSec === undefined || ttlSec > perTurnCheckAboveTtlSec) return []
    const message = `at ${perTurnCheckAboveTtlSec} or less the helper does not run again before a turn, only at the next session or after a rejection`
    return [
      createFinding('ttl-without-turn-check', spell(at('ttlSec')), message, `set it above ${perTurnCheckAboveTtlSec}`),
    ]
  }),

  toHelperRule(function validateTokenLife({ ttlSec = clientDefaults.ttlSec }, { spell }, facts) {
    const { tokenLifeSec, longestTtlSec = tokenLifeSec } = facts
    if (tokenLifeSec === undefined || longestTtlSec === undefined || ttlSec <= longestTtlSec) return []
    const life = `${ttlSec > tokenLifeSec ? 'but' : 'and'} this helper's tokens live at most ${tokenLifeSec} s`
    const message = `the client caches a token for ${ttlSec} s, ${life}`
    return [createFinding('ttl-beyond-token', spell(at('ttlSec')), message, `set it to ${longestTtlSec} or less`)]
  }),

  toHelperRule(function validateTtlAgreement({ ttlSec = clientDefaults.ttlSec }, { spell }, { clientTtlSec }) {
    if (clientTtlSec === undefined || clientTtlSec === ttlSec) return []
    const message = `it is ${ttlSec}, but the helper is configured for ${clientTtlSec}`
    return [createFinding('ttl-differs', spell(at('ttlSec')), message, renderHelperHint('client-ttl', ttlSec, spell))]
  }),

  toHelperRule(function validateTimeoutAgreement(
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

  toHelperRule(function reportRefreshLimit({ timeoutSec, silentRefreshEnabled }, { spell }) {
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

  toHelperRule(function validateSessionLifetime(
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

type HelperRule = (credential: HelperScriptCredential, subject: RuleSubject, facts: HelperFacts) => readonly Finding[]

function toHelperRule(rule: HelperRule): DocumentRule {
  return (subject) => {
    const credential = findCredential(subject, 'helper-script')
    return credential ? rule(credential, subject, selectFacts(credential, subject)) : []
  }
}

function selectFacts(credential: HelperScriptCredential, { os, helpers }: RuleSubject): HelperFacts {
  const name = helpers && findDocumentHelper(credential, os, (known) => helpers.has(known))?.name
  return (name !== undefined && helpers?.get(name)) || {}
}

/** Validates that the helper makes its AWS keys for the service and the region that the gateway's host names. */
function validateKeyGateway(
  _credential: HelperScriptCredential,
  subject: RuleSubject,
  { keyService, region }: HelperFacts,
): Finding[] {
  const { baseUrl } = subject.inference
  const gateway = baseUrl === undefined ? undefined : findKeyGateway(new URL(baseUrl).hostname)
  if (!gateway || !keyService) return []
  if (keyService.name !== gateway.service.name) return [reportService(gateway, keyService, subject)]
  if (region === undefined || region === gateway.region) return []
  return [
    createFinding(
      'gateway-region',
      subject.spell(at('args')),
      `the gateway is in ${gateway.region}, and the helper makes keys for ${region}`,
      `set the helper's region to ${gateway.region}`,
    ),
  ]
}

function reportService(
  { service }: KeyGateway,
  { name, isSet }: NonNullable<HelperFacts['keyService']>,
  { spell }: RuleSubject,
): Finding {
  const path = spell(at('args'))
  const gateway = `the gateway belongs to ${service.name}`
  const more = service.workspace === 'required' ? ', and "--workspace" with the ID of the workspace' : ''
  const fix = `"--service", "${service.name}"${more}`
  if (isSet)
    return createFinding(
      'gateway-service',
      path,
      `${gateway}, and the helper makes keys for ${name}`,
      `set ${fix} in ${path}`,
    )
  const message = `${gateway}, and unless a file on each machine says so, the helper makes keys for ${name}`
  return createFinding('gateway-service-unset', path, message, `add ${fix} to ${path}`)
}

function renderHelperHint(option: string, seconds: number, spell: RuleSubject['spell']): string {
  return `set the helper's ${option} to ${seconds}, for example with "--${option}", "${seconds}" in ${spell(at('args'))}`
}

import { findKeyGateway, keyServices } from '../../contract/aws/keys.ts'
import { chooseSettings } from '../../contract/identity-providers/choose-settings.ts'
import { describeRedirect } from '../../contract/identity-providers/describe-redirect.ts'
import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import type { FamilyName } from '../../contract/identity-providers/detect-family-name.ts'
import { isEntraFamily, type ProviderFamily } from '../../contract/identity-providers/family.ts'
import { listKeyPermissions } from '../../sources/aws/proofs/key-declaration.ts'
import { usualHelpers } from '../helper-choices.ts'
import { isNone, type SetupAnswers } from './answers.ts'
import { type AnsweredSetup, findHelper, isAwsProof, isOpenId } from './setup-question.ts'

/** Renders the page about the registration with the provider, or the permissions at AWS. */
export function renderRegistration(situation: AnsweredSetup): string {
  const steps = isOpenId(situation) ? listProviderSteps(situation) : listOtherSteps(situation)
  return `# What to register\n\n${steps.map((step, index) => `${index + 1}. ${step}\n`).join('')}`
}

function listProviderSteps(situation: AnsweredSetup): string[] {
  const { issuer, ...answers } = situation.answers
  const family = detectProviderFamily({ issuer })
  const settings = { issuer, clientId: answers['client-id'], ...chooseSettings({ issuer }), ...toPort(answers) }
  const redirect = describeRedirect(settings)
  const secret = family.asksForSecret ? '' : ' and without a secret'
  return [
    `With ${family.title}: register a public client, a native application with PKCE${secret}.`,
    `${toSentence(family.publicSetting)}.`,
    ...(redirect.uri === undefined && family.redirectSetting === undefined ? [] : [`${toSentence(redirect.text)}.`]),
    ...(family.asksForSecret ? [describeSecret(situation)] : []),
    ...listTokenSteps(situation.answers, family),
    ...listClaimSteps(situation.answers, family.name),
    describeRenewal(situation, family),
    familySteps[family.name]?.people ??
      'Grant the consent of an administrator once, so that nobody is asked for it on the first morning.',
    ...(answers['key-header'] === undefined
      ? []
      : [`Hand out a key for \`${answers['key-header']}\`, which each machine keeps: \`${usualHelpers.key} store\`.`]),
  ]
}

function toPort(answers: SetupAnswers): { redirectPort?: number } {
  const port = answers['redirect-port']
  return port === undefined ? {} : { redirectPort: Number(port) }
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** Google's users report that a desktop client needs its secret although it is not secret (google_workspace_mcp, issue 1008). */
function describeSecret(situation: AnsweredSetup): string {
  return findHelper(situation) === undefined
    ? 'It gets a secret without which sign-ins may fail, and a document has no field for it: prefer a helper.'
    : 'It gets a secret without which sign-ins may fail: put it into a file on each machine, and name that with `--arg=--client-secret-file=PATH`.'
}

interface FamilySteps {
  /** The steps for an access token that a gateway can verify. */
  readonly api?: (scope: string) => readonly string[]
  /** The step that permits the client to request a refresh token. */
  readonly renewal?: string
  /** The step that gives people access to the application. */
  readonly people?: string
}

const entra: FamilySteps = {
  // Without this version, `iss` is that of version 1.0 (Microsoft Learn, "Microsoft Entra app manifest" and "Access token claims
  // reference").
  api: (scope) => [
    `Register the gateway as an application of its own: under Expose an API, add the scope of \`${scope}\`.`,
    "In that application's Manifest, set `requestedAccessTokenVersion` (under `api`) to 2. Otherwise its tokens have the issuer `https://sts.windows.net/…`, and the gateway refuses them.",
    'Under API permissions of the client, add that scope.',
  ],
  renewal: 'Under API permissions of the client, add `offline_access` of Microsoft Graph (delegated).',
  people:
    'Under API permissions of the client, press "Grant admin consent", so that nobody is asked for it on the first morning.',
}

/** The steps of families that need more than their table of rules. */
const familySteps: Readonly<Partial<Record<FamilyName, FamilySteps>>> = {
  entra,
  'entra-external': entra,
  okta: {
    api: (scope) => [
      `In the custom authorization server of the issuer (Security, API), add the scope of \`${scope}\`, and an access policy with a rule for this client.`,
    ],
    renewal: 'In the application, under General, tick the grant types "Authorization Code" and "Refresh Token".',
    people: 'In the application, under Assignments, assign the people’s group: others are refused.',
  },
  google: {
    people: 'In the project, under Audience, choose "Internal", so that only accounts of your organization sign in.',
  },
  keycloak: {
    api: (scope) => [
      `Create the client scope of \`${scope}\`, with a mapper of the type "Audience" that adds the gateway, and assign it to the client.`,
    ],
    renewal:
      'Switch "Standard flow" on in the client. People need the realm role `offline_access`, which is a default.',
    people: 'In the client, leave "Consent required" off, so that nobody is asked on the first morning.',
  },
}

function listTokenSteps(answers: SetupAnswers, { name, title, audience, gatewayToken }: ProviderFamily): string[] {
  const { issuer, scopes = '' } = answers
  if (isNone(answers.scopes))
    return [
      `The gateway gets the ID token. What fits this provider: ${gatewayToken.why}. Have the gateway take the issuer \`${issuer}\` and the audience \`${answers['client-id']}\`.`,
    ]
  const steps = familySteps[name]?.api?.(scopes) ?? [
    `Register the gateway as an API with the scope \`${scopes}\`, and permit the client to use it.`,
    ...(audience === undefined ? [] : [`${title} names the API by ${audience}.`]),
  ]
  return [...steps, `Have the gateway take the issuer \`${issuer}\` and ${describeAudience(answers, name)}.`]
}

/** "In v2.0 tokens, this value is always the client ID of the API" (Microsoft Learn, "Access token claims reference", aud). */
function describeAudience({ audience }: SetupAnswers, name: FamilyName): string {
  const value = audience === undefined ? '' : ` \`${audience}\``
  return isEntraFamily(name)
    ? `the audience${value}: the client ID of its application, and not the \`api://\` URI`
    : `the audience${value || ' of that API'}`
}

/** Lists the steps for the claim that the policy compares, which few providers include by default. */
function listClaimSteps({ allow, scopes, recipe }: SetupAnswers, name: FamilyName): string[] {
  const [, claim, pattern] = /^([^=]+)=(.+)$/.exec(allow ?? '') ?? []
  if (claim === undefined || isNone(recipe)) return []
  const of = isNone(scopes) ? 'the client' : "the gateway's application"
  const isEntra = isEntraFamily(name)
  if (isEntra && claim === 'roles')
    return [
      `Under App roles of ${of}, create the role with the value \`${pattern}\`, and assign the people’s group to it under Enterprise applications.`,
    ]
  if (isEntra && claim === 'groups')
    return [
      `Under Token configuration of ${of}, add the groups claim. It holds object IDs of cloud groups, not names, and nothing for a person in more than 200: prefer \`--allow roles=…\`.`,
    ]
  return [`Put the claim \`${claim}\` into that token: whoever has \`${pattern}\` in it passes.`]
}

function describeRenewal(situation: AnsweredSetup, { name, title, offlineAccess }: ProviderFamily): string {
  if (findHelper(situation) !== undefined && situation.answers['refresh-token-store'] === 'none')
    return 'No refresh token is asked for: people sign in whenever a token ends.'
  const ofFamily = familySteps[name]?.renewal
  if (ofFamily !== undefined) return ofFamily
  if (offlineAccess === 'client')
    return `Let the client use the grant "refresh token": with ${title} its registration decides.`
  return offlineAccess === 'scope'
    ? 'Let the client use the grants "authorization code" and "refresh token" with the scope offline_access.'
    : 'Let the client use the grant "authorization code"; its refresh token comes without a scope of its own.'
}

function listOtherSteps(situation: AnsweredSetup): string[] {
  const { answers } = situation
  const helper = findHelper(situation)
  if (answers.identity === 'static') return ['Create the key at the gateway, with an end, and replace it before that.']
  if (!helper || !Object.hasOwn(helper.options, 'profile'))
    return [`Nothing but what \`${answers.identity}\` needs: \`${answers.identity} --help\` says it.`]
  const assign = isNone(answers['sso-start-url'])
    ? ['Give people an AWS profile, of any kind.']
    : [
        `In IAM Identity Center, create the permission set \`${answers['sso-role']}\`, and assign it to the people’s group in the account \`${answers['sso-account']}\`.`,
      ]
  if (isAwsProof(situation))
    return [...assign, 'No permission is needed: AWS tells every identity who it is. The gateway asks AWS STS.']
  return [...assign, ...listPolicySteps(situation)]
}

/** Lists the permissions of a helper that creates keys, as one policy to paste. */
function listPolicySteps({ answers, cli }: AnsweredSetup): string[] {
  const helper = findHelper({ cli, answers })
  const host = URL.parse(answers['base-url'] ?? '')?.hostname ?? ''
  if (!helper || !Object.hasOwn(helper.options, 'service'))
    return [`Permit what \`${answers.identity} --explain\` names.`]
  const gateway = findKeyGateway(host)
  const service = gateway?.service.name ?? keyServices[0]!.name
  const region = gateway?.region ?? answers['sso-region'] ?? 'us-east-1'
  const permissions = listKeyPermissions({ service, workspace: undefined }, { region })
  const statements = permissions.map(({ action, resource }) => ({
    Effect: 'Allow',
    Action: action,
    Resource: resource,
  }))
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: statements }, undefined, 2)
  return [`Give it this policy:\n\n${'```'}json\n${policy}\n${'```'}\n`]
}

import { findKeyGateway } from '../../../contract/aws/keys.ts'
import {
  hasOption,
  isAws,
  isNone,
  isWebAddress,
  none,
  type SetupQuestion,
  type SetupSituation,
} from '../setup-question.ts'

/** The AWS identity of people, where the helper uses one. */
export const awsQuestions: readonly SetupQuestion[] = [
  {
    name: 'sso-start-url',
    summary: 'for AWS: the start URL of IAM Identity Center, for a profile to hand out; none if people have profiles',
    words: 'Start URL of IAM Identity Center, for a profile to hand out (none: people have profiles)',
    applies: isAws,
    fallback: () => none,
    names: [none.value],
    validate: (url) => (isWebAddress(url) ? undefined : 'expected a URL with https://'),
  },
  {
    name: 'sso-region',
    summary: 'its region',
    words: 'Region of IAM Identity Center',
    applies: isSso,
    fallback: ({ answers: { 'base-url': baseUrl = '' } }) => {
      const gateway = URL.canParse(baseUrl) ? findKeyGateway(new URL(baseUrl).hostname) : undefined
      return gateway === undefined ? undefined : { value: gateway.region }
    },
    validate: (region) => (/^[a-z]+(-[a-z]+)+-\d$/.test(region) ? undefined : 'expected a region such as eu-central-1'),
  },
  {
    name: 'sso-account',
    summary: 'the AWS account in which people act',
    words: 'AWS account in which people act',
    applies: isSso,
    validate: (account) => (/^\d{12}$/.test(account) ? undefined : 'expected twelve digits'),
  },
  {
    name: 'sso-role',
    summary: 'the permission set that people have there',
    words: 'Permission set that people have there',
    applies: isSso,
    validate: (role) => (/^[\w+=,.@-]{1,32}$/.test(role) ? undefined : 'expected the name of a permission set'),
  },
  {
    name: 'gateway-audience',
    summary: 'for a token that names the gateway: the name by which the gateway knows itself (default: its host)',
    applies: (situation) => hasOption(situation, 'audience') && isAws(situation),
    fallback: ({ answers }) => {
      const host = URL.parse(answers['base-url'] ?? '')?.hostname
      return host === undefined ? undefined : { value: host }
    },
  },
]

function isSso(situation: SetupSituation): boolean {
  return isAws(situation) && !isNone(situation.answers['sso-start-url'])
}

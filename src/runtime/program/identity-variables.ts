import type { Environment } from '../run-process.ts'

/**
 * The variables by which programs choose whose token they print, from the documentation of each program. They are few, while a client sets
 * other variables anew for each of its processes: sockets, session IDs, tokens of its own. So a variable that is not listed here does not
 * count, unless an option names it.
 */

/** The first word, or the first two words, that all variables of a tool or a service share. */
export const identityFamilies: ReadonlySet<string> = new Set([
  ...['AWS', 'SAML2AWS', 'GIMME_AWS', 'GRANTED', 'OKTA', 'ONELOGIN'],
  ...['AZURE', 'ARM', 'AAD', 'AZD', 'MSAL', 'MSI', 'IDENTITY', 'IMDS'],
  ...['CLOUDSDK', 'GOOGLE', 'GCLOUD', 'GCP', 'GCE', 'FIREBASE'],
  ...[
    'ALIBABA',
    'ALIBABACLOUD',
    'IBMCLOUD',
    'BLUEMIX',
    'OCI',
    'OS',
    'TENCENTCLOUD',
    'YC',
    'DIGITALOCEAN',
    'CLOUDFLARE',
    'CF',
    'HCLOUD',
    'SCW',
    'FLY',
    'HEROKU',
    'PULUMI',
  ],
  ...[
    'VAULT',
    'BAO',
    'CONSUL',
    'NOMAD',
    'BOUNDARY',
    'OP',
    'BW',
    'BWS',
    'KSM',
    'DOPPLER',
    'INFISICAL',
    'AKEYLESS',
    'CONJUR',
    'LPASS',
    'RBW',
    'SOPS',
    'HCP',
  ],
  ...['PASSWORD_STORE', 'GOPASS', 'GH', 'GITHUB', 'GITLAB', 'GLAB', 'GL', 'BITBUCKET', 'GITEA', 'GCM', 'GIT_CONFIG'],
  ...['CI', 'ACTIONS', 'CIRCLE', 'BUILDKITE', 'SPACELIFT', 'TFC', 'TF_TOKEN', 'TUNNEL'],
  ...[
    'KUBE',
    'KUBERNETES',
    'DOCKER',
    'REGISTRY_AUTH',
    'TELEPORT',
    'TSH',
    'SPIFFE',
    'SPIRE',
    'STEP',
    'KRB5',
    'OIDC',
    'OCM',
  ],
  ...['DATABRICKS', 'SNOWFLAKE', 'SNOWSQL', 'SF', 'SFDX', 'LITELLM', 'PORTKEY', 'JFROG'],
])

/** Single variables that may change the account of a program; the others are recognized by a prefix. */
export const identityNames: ReadonlySet<string> = new Set([
  // The user, and the directories in which programs keep their files.
  ...[
    'HOME',
    'USER',
    'LOGNAME',
    'SUDO_USER',
    'SHELL',
    'USERNAME',
    'USERDOMAIN',
    'USERPROFILE',
    'HOMEDRIVE',
    'HOMEPATH',
  ],
  ...[
    'APPDATA',
    'LOCALAPPDATA',
    'PROGRAMDATA',
    'XDG_CONFIG_HOME',
    'XDG_CONFIG_DIRS',
    'XDG_DATA_HOME',
    'XDG_STATE_HOME',
  ],
  ...['XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK', 'GNUPGHOME'],
  // Settings of single tools.
  ...[
    'KUBECONFIG',
    'KRB5CCNAME',
    'STEPPATH',
    'BOTO_CONFIG',
    'NETRC',
    'CURL_HOME',
    'GIT_ASKPASS',
    'GIT_SSH',
    'GIT_SSH_COMMAND',
  ],
  ...['SYSTEM_ACCESSTOKEN', 'SYSTEM_OIDCREQUESTURI', 'NPM_TOKEN'],
  // The network path to a service may decide which identity it sees.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
])

/** GitHub's runner sets each of these to another file for every step of a job. */
const variablesOfOneStep: ReadonlySet<string> = new Set([
  'GITHUB_ENV',
  'GITHUB_OUTPUT',
  'GITHUB_PATH',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  'GITHUB_ACTION',
])

/** Returns whether programs choose an identity by a variable of this name. Its case does not matter, as on Windows and for proxies. */
export function isIdentityVariable(name: string): boolean {
  const upper = name.toUpperCase()
  if (identityNames.has(upper)) return true
  const first = upper.indexOf('_')
  if (first < 1 || variablesOfOneStep.has(upper)) return false
  if (identityFamilies.has(upper.slice(0, first))) return true
  const second = upper.indexOf('_', first + 1)
  return second > 0 && identityFamilies.has(upper.slice(0, second))
}

/** The variables that a program needs to open a window or a page. */
export const windowVariables = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'] as const

/** A selection of names: those that begin with a prefix in capitals, or those by which programs choose an identity. */
export type NameList = `${string}_` | 'of identities'

/** The member through which an environment that records its reads lists names itself. */
export const listingNames = Symbol('listing names')

/** An environment that records its reads. */
type NotingEnvironment = Environment & { readonly [listingNames]?: (list: NameList) => string[] }

/** Lists the names of the variables that are set, in order. On Windows names have no case. */
export function listNames(env: NotingEnvironment, list: NameList): string[] {
  if (env[listingNames]) return env[listingNames](list)
  const isListed =
    list === 'of identities' ? isIdentityVariable : (name: string) => name.slice(0, list.length).toUpperCase() === list
  return Object.keys(env).filter(isListed).sort()
}

/** Variables with secrets that change while the identity stays the same. The access key ID already distinguishes two pairs of keys. */
export const rotatingVariables = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_CREDENTIAL_EXPIRATION'] as const

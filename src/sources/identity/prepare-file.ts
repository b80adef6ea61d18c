import { expandHome, readIfPresent } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseIdentity } from '../../runtime/tokens/jwt.ts'
import {
  type IdentitySource,
  type PrepareIdentity,
  requireOption,
  toAudienceHint,
  type WorkloadOptions,
} from './identity-source.ts'

/** Prepares a token in a file that another program renews. */
export const prepareFile: PrepareIdentity = (host, options, call) => {
  const path = requireOption(options, 'identity-file', 'name the file', call)
  return readFileSource(host, options, {
    path,
    renewalHint: `check that ${path} is the right file, and that the program that writes it renews the token`,
    audienceHint: toAudienceHint(`the program that writes ${path}`),
  })
}

/** Prepares the token of a pod's service account, which the kubelet renews. */
export const prepareKubernetes: PrepareIdentity = (host, options) => {
  const path = options['identity-file'] ?? serviceAccountToken
  return readFileSource(host, options, {
    path,
    renewalHint: 'run this in a pod with a projected volume of serviceAccountToken, and name its file in identity-file',
    audienceHint:
      'set audience in the serviceAccountToken of a projected volume of the pod, and name its file in identity-file',
  })
}

/** The default path of the token of a pod's service account (Kubernetes documentation, "Configure Service Accounts for Pods"). */
const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/** Creates a source from a file. The file is read now for the identity in its token, and again before each exchange. */
export async function readFileSource(
  { home }: Pick<Host, 'home'>,
  { audience }: Pick<WorkloadOptions, 'audience'>,
  { path: given, renewalHint, audienceHint }: TokenFile,
): Promise<IdentitySource> {
  const path = expandHome(given, home)
  const identity = parseIdentity(await readToken(path, renewalHint))
  return {
    token: `the identity token in ${path}`,
    inputs: { path },
    identity,
    audience,
    renewalHint,
    audienceHint,
    obtain: async ({ deadline }) =>
      new Secret(await deadline.during('file', `reading ${path}`, () => readToken(path, renewalHint))),
  }
}

interface TokenFile extends Pick<IdentitySource, 'renewalHint' | 'audienceHint'> {
  /** The path, which may begin with `~/`. */
  readonly path: string
}

async function readToken(path: string, hint: string): Promise<string> {
  const text = await readIfPresent(path)
  if (text?.trim()) return text.trim()
  const state = text === undefined ? 'does not exist' : 'is empty'
  throw new HelperError('not-configured', `the file of the identity token, ${path}, ${state}`, hint)
}

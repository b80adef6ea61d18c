import { HelperError } from '../../runtime/failure.ts'
import { expandHome, readIfPresent } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseIdentity } from '../jwt.ts'
import type { FindIdentity, IdentitySource, WorkloadOptions } from './identity-source.ts'
import { demandOption } from './required.ts'

/** Where a pod has the token of its service account, if the pod asks for no other. Kubernetes documentation. */
const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/** A file that somebody else keeps up to date. */
export const findFile: FindIdentity = (host, options) => {
  const path = demandOption(options, 'identity-file', 'name the file')
  return readSource(host, options, {
    path,
    renewal: `check that ${path} is the right file, and that whatever writes it renews it`,
    audienceWay: `have whatever writes ${path} ask for that audience, or correct audience`,
  })
}

/** The token that Kubernetes keeps for a pod's service account. */
export const findKubernetes: FindIdentity = (host, options) => {
  const path = options['identity-file'] ?? serviceAccountToken
  return readSource(host, options, {
    path,
    renewal: 'run this in a pod with a projected volume of serviceAccountToken, and name its file in identity-file',
    audienceWay:
      'set audience in the serviceAccountToken of a projected volume of the pod, and name its file in identity-file',
  })
}

interface TokenFile extends Pick<IdentitySource, 'renewal' | 'audienceWay'> {
  readonly path: string
}

/** A source that is a file, which is looked at now for whose token it is, and read anew for each exchange. */
export async function readSource(
  { home }: Pick<Host, 'home'>,
  { audience }: Pick<WorkloadOptions, 'audience'>,
  { path: written, renewal, audienceWay }: TokenFile,
): Promise<IdentitySource> {
  const path = expandHome(written, home)
  const identity = parseIdentity(await readToken(path, renewal))
  return {
    token: `the identity token in ${path}`,
    step: `the identity token in ${path}`,
    inputs: { path },
    ...{ identity, audience, renewal, audienceWay },
    obtain: async ({ deadline }) =>
      new Secret(await deadline.during(`reading ${path}`, () => readToken(path, renewal))),
  }
}

async function readToken(path: string, renewal: string): Promise<string> {
  const text = await readIfPresent(path)
  if (text?.trim()) return text.trim()
  const what = text === undefined ? 'does not exist' : 'is empty'
  throw new HelperError('not-configured', `the file of the identity token, ${path}, ${what}`, renewal)
}

import type { Environment } from '../run-process.ts'
import { Secret } from '../secret.ts'

/** The settings of the network. Files and certificates are read when a connection is made. */
export interface NetworkSettings {
  /** The URL as written, which may contain a password, and the place of the setting. */
  readonly proxy: { readonly url: Secret; readonly origin: string } | undefined
  /** Hosts to reach without the proxy, in the form of `NO_PROXY`. */
  readonly noProxy: string | undefined
  /** Files of certificate authorities that are trusted beside the system's. */
  readonly authorities: readonly AuthorityFile[]
  /** The files in OpenSSL's variables, which replace the system's store. */
  readonly systemFiles: { readonly file: string | undefined; readonly directory: string | undefined }
  /** Whether certificates are verified: `NODE_TLS_REJECT_UNAUTHORIZED=0` switches that off. */
  readonly verification: 'on' | 'switched off'
}

/** A PEM file, and the setting that names it. */
export interface AuthorityFile {
  readonly path: string
  readonly origin: string
}

/** The resolved options of the network. */
export interface NetworkOptions {
  readonly proxy: { readonly text: string; readonly origin: string } | undefined
  readonly noProxy: string | undefined
  readonly ca: AuthorityFile | undefined
}

const authorityVariables = ['AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'] as const

/** Every variable that decides whose certificates are trusted. */
export const trustVariables = [
  ...authorityVariables,
  ...(['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_TLS_REJECT_UNAUTHORIZED'] as const),
]

/** Combines the resolved options with the variables that Node and the AWS tools read. */
export function toNetworkSettings({ proxy, noProxy, ca }: NetworkOptions, env: Environment): NetworkSettings {
  const named = authorityVariables.flatMap((name) => {
    const path = env[name]
    return path ? [{ path, origin: `variable ${name}` }] : []
  })
  return {
    proxy: proxy && { url: new Secret(proxy.text), origin: proxy.origin },
    noProxy,
    authorities: ca ? [ca, ...named] : named,
    systemFiles: { file: env.SSL_CERT_FILE || undefined, directory: env.SSL_CERT_DIR || undefined },
    verification: env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? 'switched off' : 'on',
  }
}

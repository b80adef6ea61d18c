import type { AuthScheme, ConfigDocument, Inference } from '../../config/document.ts'

/** Settings under which turns can be sent. */
export type GatewayInference = Inference & { readonly baseUrl: string }

/** Without `provider` nothing under `inference` has an effect. */
export function findGateway({ inference }: ConfigDocument): GatewayInference | undefined {
  if (inference?.provider !== 'gateway' || inference.baseUrl === undefined) return undefined
  return { ...inference, baseUrl: inference.baseUrl }
}

/** How a document wants its credential sent. */
export function resolveAuthScheme({ credential }: Inference): AuthScheme {
  return credential && 'authScheme' in credential && credential.authScheme ? credential.authScheme : 'bearer'
}

import type { AuthScheme, ConfigDocument, Inference } from '../../config/document.ts'

/** Settings under which turns can be sent. */
export type GatewayInference = Inference & { readonly baseUrl: string }

/** The gateway of a document; `undefined` if there is none. Without `provider` nothing under `inference` has an effect. */
export function findGateway({ inference }: ConfigDocument): GatewayInference | undefined {
  if (inference?.provider !== 'gateway' || inference.baseUrl === undefined) return undefined
  return { ...inference, baseUrl: inference.baseUrl }
}

/** The document's way of sending the credential; a bearer token by default. */
export function toAuthScheme({ credential }: Inference): AuthScheme {
  return credential && 'authScheme' in credential && credential.authScheme ? credential.authScheme : 'bearer'
}

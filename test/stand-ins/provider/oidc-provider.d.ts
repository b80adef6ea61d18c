/** The part of `oidc-provider` that the tests use; it brings no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    /** Whether a front says in headers how it was reached. */
    proxy: boolean
    callback(): RequestListener
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    /** Gives the address to which the browser goes on. */
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<string>
    registerGrantType(
      name: string,
      handle: (context: Context) => Promise<void>,
      parameters: readonly string[],
      repeatable: readonly string[],
    ): void
    on(event: 'server_error', listener: (context: Context, error: Error) => void): void
    readonly Grant: GrantClass
    readonly Client: { readonly prototype: { redirectUriAllowed(uri: string): boolean } }
  }

  export const errors: {
    readonly InvalidTarget: new () => Error
    readonly CustomOIDCProviderError: new (code: string, description: string) => Error
  }

  /** A request and its answer, as Koa has them. */
  export interface Context {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    readonly method: string
    readonly path: string
    readonly query: Readonly<Record<string, string | string[] | undefined>>
    status: number
    type: string
    body: unknown
    respond: boolean
    redirect(address: string): void
    readonly oidc?: OidcContext
  }

  export interface OidcContext {
    /** The parameters of the request; absent before it has been read. */
    params?: Record<string, string | undefined>
    readonly body?: Record<string, string | undefined>
    readonly deviceCode?: { readonly userCode?: string }
  }

  export interface Interaction {
    readonly uid: string
    readonly grantId?: string
    readonly params: Readonly<Record<string, string | undefined>>
    readonly session?: { readonly accountId: string }
    readonly prompt: {
      readonly name: string
      readonly details: {
        readonly missingOIDCScope?: readonly string[]
        readonly missingOIDCClaims?: readonly string[]
        readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>
      }
    }
  }

  export interface Grant {
    addOIDCScope(scope: string): void
    addOIDCClaims(claims: readonly string[]): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  interface GrantClass {
    new (of: { accountId: string | undefined; clientId: string | undefined }): Grant
    find(id: string): Promise<Grant | undefined>
  }
}

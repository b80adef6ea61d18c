import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import type { GrantParts } from './send-grant.ts'

/** What an exchange needs of its run. */
export interface ExchangeParts extends GrantParts {
  readonly host: Pick<Host, 'clock' | 'env' | 'home'>
}

/** The person's token that is exchanged. */
export interface Subject {
  readonly token: Secret
  /** As messages name it: "the ID token of the sign-in". */
  readonly name: string
}

/** Where the person's token comes from. */
export interface SubjectSupply extends Pick<Subject, 'name'> {
  /** The token of the sign-in, renewed where it has ended. @throws {HelperError} `sign-in-required` */
  obtain(): Promise<Secret>
  /**
   * Another token than this one, which was refused or used before: of a renewal by another process, or by this one. `undefined`
   * where it cannot be renewed without a person.
   */
  renew(refused: Secret): Promise<Secret | undefined>
}

import { createHash } from 'node:crypto'
import { AwsRefusal } from '../aws-operation.ts'

/** An authorization code of the console sign-in, and what it was asked for with. */
interface LoginCode {
  code: string
  arn: string
  clientId: string
  redirectUri: string
  codeChallenge: string
  expiresAt: Date
}

export interface LoginCodes {
  issue(code: Omit<LoginCode, 'code'>): string
  /** Gives who signed in. @throws {AwsRefusal} for a code that is not redeemed as it was asked for, and for a second time. */
  redeem(parameters: Record<string, string>, now: Date): string
}

export function createLoginCodes(): LoginCodes {
  const codes: LoginCode[] = []
  let issued = 0
  return {
    issue: (given) => {
      issued += 1
      const code = `login-code-${issued}`
      codes.push({ code, ...given })
      return code
    },
    redeem: ({ code, clientId, redirectUri, codeVerifier = '' }, now) => {
      const index = codes.findIndex((one) => one.code === code)
      const [found] = index < 0 ? [] : codes.splice(index, 1)
      if (!found) throw invalidRequest('the code is unknown, or was redeemed')
      if (found.expiresAt <= now)
        throw new AwsRefusal('AccessDeniedException', 401, 'the code has expired', 'AUTHCODE_EXPIRED')
      if (found.clientId !== clientId) throw invalidRequest('the code is for another client')
      if (found.redirectUri !== redirectUri) throw invalidRequest('redirectUri differs')
      if (!/^[\w.~-]{43,128}$/.test(codeVerifier)) throw invalidRequest('codeVerifier is malformed')
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url')
      if (found.codeChallenge !== challenge) throw invalidRequest('codeVerifier does not match')
      return found.arn
    },
  }
}

export function invalidRequest(message: string): AwsRefusal {
  return new AwsRefusal('ValidationException', 400, message, 'INVALID_REQUEST')
}

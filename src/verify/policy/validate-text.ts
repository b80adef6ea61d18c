import { isSecureAddress, isWebAddress } from '../../runtime/network/addresses.ts'
import { parseClaimPath } from '../../runtime/tokens/claim-path.ts'
import type { PolicyProblem } from './policy-finding.ts'

/** The hint for a text that is not the address that it should be. */
export const addressHint = 'write https:// and the host'

/** Finds the problem of the address of keys: it must be `https`, or `http` on this machine. */
export function validateUrl(text: string): PolicyProblem | undefined {
  const url = URL.parse(text)
  if (!isWebAddress(url)) return { code: 'invalid-value', message: 'it is not a web address', hint: addressHint }
  if (url.username !== '' || url.password !== '')
    return {
      code: 'invalid-value',
      message: 'it holds a user name or a password',
      hint: 'remove what stands before the @: keys are public',
    }
  if (isSecureAddress(url)) return undefined
  return {
    code: 'insecure-url',
    message: 'over plain http anybody on the network could replace the keys by keys of their own',
    hint: 'write https://; http is for this machine alone',
  }
}

/** Drops the slash at the end of an issuer, in which alone two of them may differ by mistake. */
export function dropFinalSlash(issuer: string): string {
  return issuer.replace(/\/$/, '')
}

export function validateFileName(text: string): PolicyProblem | undefined {
  if (/^(?!\.{1,2}$)[^/\\\0]+$/.test(text)) return undefined
  return {
    code: 'invalid-value',
    message: 'it is not the name of a file beside the policy',
    hint: 'put the file into the directory of the policy, and write its name without a path',
  }
}

export function validateClaimName(text: string): PolicyProblem | undefined {
  if (parseClaimPath(text)) return undefined
  const message =
    'it is not the name of a claim: a name with other characters than letters, digits, _ and - stands in brackets'
  const isBare = !/[[\]]/.test(text)
  return {
    code: 'invalid-value',
    message,
    hint: isBare
      ? `write [${text}], or for a member of it [${text}].member`
      : 'write email, address.country or [https://example.com/team].name',
  }
}

/** Finds the problem of a pattern; `undefined` for one that is well-formed and neither begins nor ends with a blank. */
export function validatePattern(text: string): PolicyProblem | undefined {
  if (!text.isWellFormed())
    return { code: 'invalid-value', message: 'it is not a Unicode text', hint: 'remove the half of a surrogate pair' }
  if (text === text.trim()) return undefined
  return {
    code: 'invalid-value',
    message: 'a blank at its beginning or end would have to be in the claim too',
    hint: 'remove the blank; where a claim has one, write * in its place',
  }
}

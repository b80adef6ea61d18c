import { findForeignHeader, findLoginAudienceProblem, wantedBody } from './login-headers.ts'
import { type LoginParts, longestLoginBytes } from './parse-login.ts'
import { type ProofCheck, rejectForm } from './proof-check.ts'
import { addressChecks, signatureChecks } from './signature-checks.ts'
import { timeChecks } from './time-checks.ts'

/** Every check of a login of Vault, in the order in which the first one that fails is the reason of the refusal. */
export const loginChecks: readonly ProofCheck<LoginParts>[] = [
  {
    name: 'size',
    find: ({ bytes }) =>
      bytes > longestLoginBytes ? rejectForm(`it has ${bytes} bytes, above ${longestLoginBytes}`) : undefined,
    holds: ({ bytes }) => `it has ${bytes} bytes`,
  },
  {
    name: 'encoding',
    find: ({ bytes, isEncoded }) => {
      if (bytes > longestLoginBytes) return 'skipped'
      return isEncoded ? undefined : rejectForm('it is not base64 as an encoder writes it')
    },
    holds: 'it is base64 as an encoder writes it',
  },
  {
    name: 'login',
    find: ({ isEncoded, fields }) => {
      if (!isEncoded) return 'skipped'
      return fields ? undefined : rejectForm('it is not the four fields of a login, as JSON')
    },
    holds: 'it has the four fields of a login',
  },
  {
    name: 'method',
    find: ({ fields }) => {
      if (!fields) return 'skipped'
      return fields.iam_http_request_method === 'POST' ? undefined : rejectForm('the method is not POST')
    },
    holds: 'it is POST',
  },
  {
    name: 'url',
    find: ({ fields, address }) => {
      if (!fields) return 'skipped'
      return address ? undefined : rejectForm('iam_request_url is no URL in base64')
    },
    holds: 'it is an absolute URL',
  },
  ...addressChecks,
  {
    name: 'path',
    find: ({ address }) => {
      if (!address) return 'skipped'
      const isPlain = /^\/?$/.test(address.path) && address.query === undefined && address.fragment === undefined
      return isPlain ? undefined : rejectForm('the path is not / alone')
    },
    holds: 'it is / alone',
  },
  {
    name: 'action',
    find: ({ fields, body }) => {
      if (!fields) return 'skipped'
      return body === wantedBody ? undefined : rejectForm(`the body is not ${wantedBody} in base64`)
    },
    holds: `the body is ${wantedBody}`,
  },
  {
    name: 'headers',
    find: ({ fields, headers, headersProblem, address }, { trust }) => {
      if (!fields) return 'skipped'
      const problem = headers ? findForeignHeader(headers, address?.authority, trust) : headersProblem
      return problem === undefined ? undefined : rejectForm(problem)
    },
    holds: 'they are those of a login, each once',
  },
  {
    name: 'audience',
    find: findLoginAudienceProblem,
    holds: (_, { trust: { audience } }) =>
      audience === 'none' ? 'none is named' : `it is ${audience.value}, and signed`,
  },
  ...signatureChecks,
  {
    name: 'signed values',
    find: ({ headers, claim }) => {
      if (!headers || !claim) return 'skipped'
      const unsigned = [...headers.keys()].find(
        (name) => name.startsWith('x-amz-') && !claim.signedHeaders.includes(name),
      )
      if (unsigned !== undefined) return rejectForm(`the header ${unsigned} is not signed`)
      const missing = claim.signedHeaders.find((name) => name !== 'host' && !headers.has(name))
      return missing === undefined ? undefined : rejectForm(`the header ${missing} is signed, and not there`)
    },
    holds: 'every signed header is there, and every one of AWS is signed',
  },
  ...timeChecks,
]

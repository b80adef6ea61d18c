import { isReservedHeader } from '../../contract/client-headers.ts'
import { describeNearest } from '../../runtime/text/nearest-name.ts'
import { type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { listTemplateClaims, parseHeaderTemplate } from './header-template.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem } from './policy-finding.ts'
import { policyLimits } from './policy-limits.ts'
import { listObjects, toText } from './unchecked-form.ts'

/** Finds why a policy cannot set a header of this name. */
export function validateHeaderName(text: string): PolicyProblem | undefined {
  if (text.includes('_'))
    return reject(
      'servers drop headers with an underscore, or take it for the dash of another name',
      'write a dash in its place',
    )
  if (!name.test(text))
    return reject('it is not the name of a header', 'use letters, digits and single dashes, such as x-user')
  const lower = text.toLowerCase()
  if (!isReservedHeader(lower) && !foreign.test(lower)) return undefined
  return reject(
    'it has a meaning of its own for clients, gateways or servers',
    'choose another name, such as x-auth-user',
  )
}

/** A name of RFC 9110, section 5.6.2, without the characters that are unusual in names and that some gateways drop. */
const name = /^[a-z0-9]+(-[a-z0-9]+)*$/i

/**
 * Names that a policy must not set, besides those of the client and of one connection: headers about the caller's address or the request,
 * headers that describe the answer, and headers of the verifier itself.
 */
const foreign =
  /^(forwarded|x-forwarded-.*|x-real-ip|x-request-id|x-original-.*|x-rewrite-url|x-http-method.*|set-cookie.*|www-authenticate|authentication-info|proxy-.*|sec-.*|accept.*|access-control-.*|age|allow|cache-control|date|etag|expires|if-.*|last-modified|link|location|origin|pragma|range|referer|retry-after|server|strict-transport-security|user-agent|vary|via|warning|x-accel-.*|x-sendfile|x-envoy-.*|gatepass-.*|max-forwards)$/

/** Finds headers of one rule whose names differ only in case. */
export function validateHeaders({ headers }: RawObject, path: string): PolicyFinding[] {
  const names = Object.keys(toObject(headers))
  return names.flatMap((name, index) => {
    const isAgain = names.slice(0, index).some((other) => other.toLowerCase() === name.toLowerCase())
    const message = 'another header of this rule differs from it in case only'
    return isAgain
      ? [createPolicyFinding('duplicate-header', joinPath(`${path}.headers`, name), message, 'keep one')]
      : []
  })
}

/** Finds too many headers: every answer contains those of all rules. */
export function validateHeaderCount(file: RawObject): PolicyFinding[] {
  const names = listObjects(file.rules).flatMap(([, { headers }]) => Object.keys(toObject(headers)))
  const count = new Set(names.map((name) => name.toLowerCase())).size
  if (count <= policyLimits.headers) return []
  const message = `its rules name ${count} headers, and at most ${policyLimits.headers} are sent`
  return [createPolicyFinding('out-of-range', 'rules', message, 'name fewer: every answer has all of them')]
}

export function validateMapName(text: string): PolicyProblem | undefined {
  if (/^[\w-]+$/.test(text)) return undefined
  return { code: 'invalid-value', message: 'it is not the name of a map', hint: 'use letters, digits, _ and -' }
}

/** Finds maps that headers name and the policy lacks, and maps that no header names. */
export function validateMaps(file: RawObject): PolicyFinding[] {
  const maps = toObject(file.maps)
  const used = listObjects(file.rules).flatMap(([index, { headers }]) =>
    Object.entries(toObject(headers)).flatMap(([header, value]) =>
      listTemplateClaims(parseHeaderTemplate(toText(value) ?? '') ?? []).flatMap(({ map }) =>
        map ? [{ name: map.name, path: joinPath(`rules[${index}].headers`, header) }] : [],
      ),
    ),
  )
  const unknown = used.filter(({ name }) => !Object.hasOwn(maps, name))
  const unused = Object.keys(maps).filter((name) => !used.some((each) => each.name === name))
  return [
    ...unknown.map(({ name, path }) => {
      const hint = describeNearest(name, Object.keys(maps), 'add it to maps, beside rules')
      return createPolicyFinding('unknown-map', path, 'the policy has no such map', hint)
    }),
    ...unused.map((name) =>
      createPolicyFinding(
        'map-unused',
        joinPath('maps', name),
        'no header has its names',
        'name it in a header, or remove it',
      ),
    ),
  ]
}

export function validateTemplate(text: string): PolicyProblem | undefined {
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text))
    return {
      code: 'template-broken',
      message: 'a header holds visible ASCII, and blanks between',
      hint: 'remove blanks at its beginning and end, line breaks and other characters; claims may have them, and are encoded',
    }
  const template = parseHeaderTemplate(text)
  if (!template)
    return {
      code: 'template-broken',
      message: 'a brace is not part of a claim such as {email}, {email?} or {groups|teams}',
      hint: 'write each claim in braces, and one with other characters than letters, digits, _ and - in brackets within them: {[https://example.com/team].name}',
    }
  if (!listTemplateClaims(template).some(({ claim: { names } }) => names[0] === 'claims' && names.length > 1))
    return undefined
  return {
    code: 'template-broken',
    message: 'it asks for a member of a claim that is called "claims"',
    hint: 'remove "claims.": {email}',
  }
}

function reject(message: string, hint: string): PolicyProblem {
  return { code: 'header-refused', message, hint }
}

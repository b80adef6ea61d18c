import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { VendorSetting } from '../../src/vendor.ts'

/** The pattern of each name, which becomes a part of variables, headers, keys and paths. */
const patterns: Readonly<Record<keyof Required<VendorSetting>, RegExp>> = {
  name: /^[A-Za-z][A-Za-z0-9]*$/,
  envPrefix: /^[A-Z][A-Z0-9_]*$/,
  headerPrefix: /^[a-z][a-z0-9-]*$/,
  cloudWord: /^[A-Z][A-Za-z0-9]*$/,
  keyPrefix: /^[A-Za-z0-9-]+$/,
  awsService: /^[a-z][a-z0-9-]*$/,
  keyHelperTtlVariable: /^[A-Z][A-Z0-9_]*$/,
}

/** What is derived from the other names where the file does not say it. */
const optional: readonly string[] = ['awsService', 'keyHelperTtlVariable'] satisfies (keyof VendorSetting)[]

/** The absolute path of a valid vendor setting. Throws with every problem of an invalid one. */
export function checkVendorFile(path: string): string {
  const setting: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const given = new Map(Object.entries(setting ?? {}))
  const wrong = Object.entries(patterns).flatMap(([name, pattern]) => {
    const value = given.get(name)
    if (value === undefined && optional.includes(name)) return []
    return typeof value === 'string' && pattern.test(value)
      ? []
      : [`${name}: expected text of the form ${pattern.source}`]
  })
  const unknown = [...given.keys()]
    .filter((name) => !Object.hasOwn(patterns, name))
    .map((name) => `${name}: unknown key`)
  const problems = [...wrong, ...unknown]
  if (problems.length > 0) throw new Error(`${path} is not a vendor setting\n${problems.join('\n')}`)
  return resolve(path)
}

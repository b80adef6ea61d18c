import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { VendorSetting } from '../../src/vendor.ts'

/** What each name may look like, because it becomes a part of variables, headers, keys and paths. */
const forms: Readonly<Record<keyof VendorSetting, RegExp>> = {
  name: /^[A-Za-z][A-Za-z0-9]*$/,
  envPrefix: /^[A-Z][A-Z0-9_]*$/,
  headerPrefix: /^[a-z][a-z0-9-]*$/,
  cloudWord: /^[A-Z][A-Za-z0-9]*$/,
  keyPrefix: /^[A-Za-z0-9-]+$/,
}

/** The absolute path of a vendor setting; throws with everything that is wrong with it. */
export function checkVendorFile(path: string): string {
  const setting: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const given = new Map(Object.entries(setting ?? {}))
  const wrong = Object.entries(forms).flatMap(([name, form]) => {
    const value = given.get(name)
    return typeof value === 'string' && form.test(value) ? [] : [`${name}: expected text of the form ${form.source}`]
  })
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(forms, name)).map((name) => `${name}: not known`)
  const problems = [...wrong, ...unknown]
  if (problems.length > 0) throw new Error(`${path} is no vendor setting\n${problems.join('\n')}`)
  return resolve(path)
}

import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { createFinding, type Finding } from '../finding.ts'

/**
 * The finding for a file of Gatepass's own that is not a document: scripts, templates and settings stand beside it in one folder.
 * `undefined` for anything else.
 */
export function findForeignText(text: string): Finding | undefined {
  const found = textSigns.find(([sign]) => sign.test(text))
  return found && reportForeignFile(found[1], madeFromDocument)
}

/** The same for a JSON object. */
export function findForeignObject(entries: RawObject): Finding | undefined {
  const found = objectSigns.find(({ isSign }) => isSign(entries))
  return found && reportForeignFile(found.what, found.hint)
}

const madeFromDocument = 'check the document that it was made from, such as document.json'

/** How files begin that `config export` and `setup` write. */
const textSigns: readonly (readonly [sign: RegExp, what: string])[] = [
  [
    /^#!\/bin\/sh\n# (Compares a machine with the document|Written by)/,
    'is a shell script that was made from a document',
  ],
  [/^# .*[Ww]ritten by [Gg]atepass/, 'is a script or playbook that was made from a document'],
  [/^# Include these tasks in a play/, 'is a task file of Ansible that was made from a document'],
  [
    /^\uFEFF?<\?xml[^>]*>\s*<policyDefinition(s|Resources)\b/,
    'is an administrative template, which has policies and not their values',
  ],
]

const objectSigns: readonly {
  readonly what: string
  readonly hint: string
  readonly isSign: (entries: RawObject) => boolean
}[] = [
  {
    what: 'is a vendor file',
    hint: 'check it with: gatepass vendor check FILE',
    isSign: (entries) => has(entries, ['envPrefix', 'headerPrefix', 'keyPrefix']),
  },
  {
    what: 'is the policy of a verifier',
    hint: 'check it with: gatepass gateway policy check FILE',
    isSign: (entries) => Array.isArray(entries.rules) && (has(entries, ['issuers']) || has(entries, ['aws'])),
  },
  {
    what: 'holds cases for the policy of a verifier',
    hint: 'run them with: gatepass gateway policy test POLICY --cases FILE',
    isSign: ({ cases }) => Array.isArray(cases) && cases.every((each) => isObject(each) && has(each, ['expect'])),
  },
  {
    what: 'holds the answers of gatepass setup',
    hint: 'check the document.json beside it',
    isSign: (entries) => has(entries, ['client', 'base-url', 'identity']),
  },
  {
    what: 'holds the rules of a compliance policy',
    hint: madeFromDocument,
    isSign: ({ Rules }) => Array.isArray(Rules),
  },
  {
    what: 'is a manifest of Jamf Pro, which is a form for settings',
    hint: madeFromDocument,
    isSign: (entries) => isObject(entries.properties) && has(entries, ['title']),
  },
  {
    what: "holds a helper's options",
    hint: 'a helper checks it on each run: HELPER --explain',
    // A key of a document has no hyphen.
    isSign: (entries) =>
      Object.keys(entries).some((key) => /^[a-z]+(-[a-z]+)+$/.test(key)) &&
      !Object.keys(entries).some((key) => /[A-Z]|^inference$/.test(key)),
  },
]

function has(entries: RawObject, keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(entries, key))
}

function reportForeignFile(what: string, hint: string): Finding {
  return createFinding('no-document', '', `it ${what}, and is not a document`, hint)
}

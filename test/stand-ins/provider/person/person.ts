import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createPerson } from './create-person.ts'

/** A program for the variable `BROWSER`: a person in a process of its own. {@link writeBrowser} says how it is called. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string' },
    password: { type: 'string' },
    forgetful: { type: 'boolean' },
    denies: { type: 'boolean' },
  },
})
const { name, password } = values
const person = createPerson({
  ...(name !== undefined && { name }),
  ...(password !== undefined && { password }),
  isForgetful: values.forgetful ?? false,
  denies: values.denies ?? false,
})
// Nobody is done at once: by then every run that waits has said what there is to do.
await sleep(1_500)
await person.open(positionals[0] ?? '')

import { alice } from '../settings.ts'
import { createBrowsing } from './browse.ts'
import type { Form, Page } from './page.ts'

/** A person: their account, and their actions on the pages of a sign-in. */
export interface PersonSettings {
  readonly name?: string
  readonly password?: string
  /** Enters a wrong password first. */
  readonly isForgetful?: boolean
  /** Denies the consent. */
  readonly denies?: boolean
  /** The code that they enter on a page that asks for the code of a device. */
  readonly userCode?: string
}

/** A person with a browser that has no window: pages, cookies, forms and redirects, without scripts. */
interface Person {
  /** Opens an address, does what each page asks for, and gives the page on which nothing is left to do. */
  open(address: string): Promise<Page>
  /** Opens an address and does nothing there. */
  look(address: string): Promise<Page>
}

/** Creates a person who signs in as `alice` and allows everything; their browser remembers between two addresses. */
export function createPerson(settings: PersonSettings = {}): Person {
  const browse = createBrowsing()
  const look = (address: string) => browse({ address: new URL(address) })
  return {
    look,
    open: async (address) => {
      let isForgetful = settings.isForgetful ?? false
      let page = await look(address)
      for (let step = 0; page.form; step += 1) {
        if (step === 10) throw new Error(`${page.address} asks again and again: ${page.text}`)
        const form = fillIn(page.form, { ...settings, isForgetful })
        if (page.form.shown.includes('password')) isForgetful = false
        const address = new URL(page.form.action)
        if (page.form.method === 'GET') address.search = form.toString()
        page = await browse({ address, from: page.address, ...(page.form.method === 'POST' && { form }) })
      }
      return page
    },
  }
}

function fillIn({ fields, shown, buttons }: Form, person: PersonSettings): URLSearchParams {
  const form = new URLSearchParams(fields)
  if (shown.includes('name')) form.set('name', person.name ?? alice.name)
  if (shown.includes('password'))
    form.set('password', person.isForgetful ? 'not-mine' : (person.password ?? alice.password))
  if (shown.includes('user_code')) form.set('user_code', person.userCode ?? '')
  const wanted = ['sign-in', person.denies ? 'deny' : 'allow'].find((choice) => buttons.includes(choice))
  if (wanted) form.set('choice', wanted)
  return form
}

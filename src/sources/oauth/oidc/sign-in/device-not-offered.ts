import { HelperError } from '../../../../runtime/failure.ts'
import type { SignInWay } from '../../options.ts'

/** Why no code can be entered elsewhere, which a person asked for, or needs where no browser opens. */
export function toDeviceNotOffered(name: string, way: SignInWay): HelperError {
  if (way === 'device')
    return new HelperError(
      'not-configured',
      `${name} offers no sign-in with a code, which --sign-in device asks for`,
      'set sign-in to auto or browser, and sign in where a browser can open',
    )
  return new HelperError(
    'sign-in-required',
    `no browser can be opened here, and ${name} offers no sign-in with a code`,
    'sign in where a browser can open, or name a program that opens one in the variable BROWSER',
  )
}

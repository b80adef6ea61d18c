/** What to do where an answer does not come from the API. */
export const addressHint = "check that the address is the API's, and not that of a web page or a proxy in front of it"

// [wire] Puts into words why a TLS connection did not come about: whose certificate broke which rule.

/** What Node adds to the error where a certificate is for another host. */
interface TlsError extends NodeJS.ErrnoException {
  host?: string;
  cert?: { subjectaltname?: string };
}

const IS_TLS = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|ALTNAME/;
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_UNTRUSTED|INVALID_CA/;

/** `{rule}, got {what}`, or undefined where the error has nothing to do with TLS. */
export function tlsFailure(error: TlsError): string | undefined {
  const { code = '', message } = error;
  if (!IS_TLS.test(code)) return undefined;
  const [said] = message.split('\n');
  const text = `${code} ${said.toUpperCase()}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = error.cert?.subjectaltname ?? 'other names';
    return `its certificate must be for the host ${error.host ?? 'that was asked'}, got one for ${names}`;
  }
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate must be valid now, got one that has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate must be valid now, got one that is not valid yet';
  if (UNTRUSTED.test(code)) {
    return `its certificate must come from an authority that is trusted here, got one of an unknown authority (${code})`;
  }
  if (/ALERT.CERTIFICATE.REQUIRED/.test(text)) return 'it asks for a client certificate, got none';
  if (/ALERT.CERTIFICATE.EXPIRED/.test(text)) return 'our client certificate must be valid, got one that has expired';
  if (/ALERT/.test(text)) return `our side of TLS must be accepted, got the alert ${said} (${code})`;
  if (/WRONG.VERSION.NUMBER|PACKET.LENGTH/.test(text)) return 'must speak TLS at this address, got something else';
  return `TLS must work, got ${said} (${code})`;
}

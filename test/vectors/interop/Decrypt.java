import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;

/** Reads lines of "private key (PKCS #8, Base64), space, payload"; answers each with the plaintext in hexadecimal, or "-". */
class Decrypt {
  static final OAEPParameterSpec OAEP =
      new OAEPParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT);

  static byte[] decrypt(PrivateKey key, byte[] payload, OAEPParameterSpec parameters) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");
    cipher.init(Cipher.DECRYPT_MODE, key, parameters); // null: MGF1 with SHA-1, whatever the name suggests
    return cipher.doFinal(payload);
  }

  /** With the argument "defaults" the parameters are left out: what happens then is tested, too. */
  public static void main(String[] arguments) throws Exception {
    OAEPParameterSpec parameters = arguments.length > 0 && arguments[0].equals("defaults") ? null : OAEP;
    KeyFactory keys = KeyFactory.getInstance("RSA");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ", 2);
      PrivateKey key = keys.generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(words[0])));
      try {
        System.out.println(HexFormat.of().formatHex(decrypt(key, Base64.getDecoder().decode(words[1]), parameters)));
      } catch (GeneralSecurityException refused) {
        System.out.println("-");
      }
    }
  }
}

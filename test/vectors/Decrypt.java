import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;

/**
 * The decrypting side of RSA_OAEP_SHA256_V1 in Java 17 or later, in one file to read and to copy.
 * docs/decrypting.md says the same in words.
 */
class Decrypt {
  /** Layout identifier, the client's name, fewest and most bytes. */
  record Field(String identifier, String name, int min, int max) {}

  /** In the order of the plaintext. */
  static final List<Field> FIELDS = List.of(
      new Field("Pan", "number", 12, 19),
      new Field("Name", "name", 1, 446),
      new Field("ExpMonth", "exp_month", 2, 2),
      new Field("ExpYear", "exp_year", 4, 4),
      new Field("Cvc", "cvv", 3, 4));

  /** The one error, for whatever is wrong with a block. It says nothing more, on purpose. */
  static class InvalidEncryptionBlock extends Exception {}

  /**
   * MGF1 with SHA-256 must be said. Without these parameters the same transformation means MGF1
   * with SHA-1, whatever its name suggests.
   */
  static final OAEPParameterSpec OAEP =
      new OAEPParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT);

  /** Returns the card. `layout` is what a JSON parser gives. */
  static Map<String, String> decryptBlock(
      RSAPrivateKey key, String payload, List<Map<String, Object>> layout)
      throws InvalidEncryptionBlock {
    return decryptBlock(key, payload, layout, OAEP);
  }

  private static Map<String, String> decryptBlock(
      RSAPrivateKey key, String payload, List<Map<String, Object>> layout, OAEPParameterSpec oaep)
      throws InvalidEncryptionBlock {
    byte[] plaintext = new byte[0];
    try {
      plaintext = decrypt(key, payload, oaep); // first, even if the layout is bad
      return readCard(plaintext, readLayout(layout, plaintext.length));
    } catch (GeneralSecurityException | CharacterCodingException | IllegalArgumentException e) {
      throw new InvalidEncryptionBlock(); // without a cause, which could tell what was wrong
    } finally {
      Arrays.fill(plaintext, (byte) 0);
    }
  }

  static byte[] decrypt(RSAPrivateKey key, String payload, OAEPParameterSpec oaep)
      throws GeneralSecurityException {
    byte[] ciphertext = Base64.getDecoder().decode(payload);
    ensure(Base64.getEncoder().encodeToString(ciphertext).equals(payload)); // canonical
    ensure(ciphertext.length * 8 == key.getModulus().bitLength());
    Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");
    cipher.init(Cipher.DECRYPT_MODE, key, oaep);
    return cipher.doFinal(ciphertext);
  }

  /** The five lengths, which add up to that of the plaintext. */
  static List<Integer> readLayout(List<Map<String, Object>> layout, int total) {
    ensure(layout.size() == FIELDS.size());
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < FIELDS.size(); i++) {
      Map<String, Object> entry = layout.get(i);
      ensure(entry.keySet().equals(Set.of("field", "len")));
      ensure(FIELDS.get(i).identifier().equals(entry.get("field")));
      ensure(entry.get("len") instanceof Integer len && len >= 0 && len <= total);
      lengths.add((Integer) entry.get("len"));
    }
    ensure(lengths.stream().mapToInt(Integer::intValue).sum() == total);
    return lengths;
  }

  /** Cuts bytes, never characters, and checks each field. */
  static Map<String, String> readCard(byte[] plaintext, List<Integer> lengths)
      throws CharacterCodingException {
    Map<String, String> card = new LinkedHashMap<>();
    int start = 0;
    for (int i = 0; i < FIELDS.size(); i++) {
      Field field = FIELDS.get(i);
      int length = lengths.get(i);
      byte[] bytes = Arrays.copyOfRange(plaintext, start, start + length);
      start += length;
      ensure(length >= field.min() && length <= field.max());
      ensure(field.name().equals("name") || isDigits(bytes));
      // A new decoder throws for what is not UTF-8; `new String(bytes, UTF_8)` would replace it.
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      card.put(field.name(), text);
    }
    int month = Integer.parseInt(card.get("exp_month"));
    ensure(month >= 1 && month <= 12);
    ensure(passesLuhn(card.get("number")));
    return card;
  }

  static boolean isDigits(byte[] bytes) {
    for (byte b : bytes) {
      if (b < '0' || b > '9') return false;
    }
    return true;
  }

  /** ISO/IEC 7812-1, annex B: from the right, each second digit counts double. */
  static boolean passesLuhn(String number) {
    int sum = 0;
    for (int i = 0; i < number.length(); i++) {
      int digit = number.charAt(number.length() - 1 - i) - '0';
      int weighted = i % 2 == 0 ? digit : 2 * digit;
      sum += weighted > 9 ? weighted - 9 : weighted;
    }
    return sum % 10 == 0;
  }

  static void ensure(boolean condition) {
    if (!condition) throw new IllegalArgumentException();
  }

  /**
   * For `npm run interop`: reads lines of private key, payload (in Base64, once more) and layout,
   * divided by tabs. Answers each with the fields in hexadecimal, or with the name of the error.
   * With the argument "defaults" the OAEP parameters are left out: that is tested, too.
   */
  public static void main(String[] arguments) throws Exception {
    OAEPParameterSpec oaep = List.of(arguments).contains("defaults") ? null : OAEP;
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] parts = line.split("\t", -1);
      PKCS8EncodedKeySpec pkcs8 = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(parts[0]));
      RSAPrivateKey key = (RSAPrivateKey) KeyFactory.getInstance("RSA").generatePrivate(pkcs8);
      try {
        String payload = new String(Base64.getDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        Map<String, String> card = decryptBlock(key, payload, parseLayout(parts[2]), oaep);
        System.out.println(card.values().stream()
            .map(text -> HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8)))
            .collect(Collectors.joining(" ")));
      } catch (InvalidEncryptionBlock refused) {
        System.out.println("InvalidEncryptionBlock()");
      }
    }
  }

  private static final Pattern PROPERTY = Pattern.compile("\"(\\w+)\":([^,]+)");

  /** Stands in for the JSON parser of a service, which Java has not. */
  private static List<Map<String, Object>> parseLayout(String json) {
    List<Map<String, Object>> layout = new ArrayList<>();
    Matcher entries = Pattern.compile("\\{([^}]*)\\}").matcher(json);
    while (entries.find()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      Matcher properties = PROPERTY.matcher(entries.group(1));
      while (properties.find()) entry.put(properties.group(1), parseValue(properties.group(2)));
      layout.add(entry);
    }
    return layout;
  }

  private static Object parseValue(String json) {
    if (json.matches("-?\\d+")) return Integer.valueOf(json);
    if (json.startsWith("\"")) return json.substring(1, json.length() - 1);
    return Double.valueOf(json);
  }
}

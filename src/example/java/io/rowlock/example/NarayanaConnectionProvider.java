package io.rowlock.example;

import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.agroal.api.configuration.supplier.AgroalConnectionPoolConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;

/**
 * The same pool for a persistence unit of transaction type JTA, with Narayana as the transaction
 * manager: a connection belongs to the transaction in which it was first asked for, and goes back
 * to the pool when that ends.
 */
public final class NarayanaConnectionProvider extends AgroalConnectionProvider {

  private static final long serialVersionUID = 1L;

  @Override
  void configure(AgroalConnectionPoolConfigurationSupplier configuration) {
    configuration.transactionIntegration(
        new NarayanaTransactionIntegration(
            TransactionManager.transactionManager(),
            jtaPropertyManager.getJTAEnvironmentBean().getTransactionSynchronizationRegistry()));
  }
}
